/** `npm run requirements`: every requirement with the tests that carry its id, or the reason why there is none. */
import { requirementList } from './requirements.ts'

process.stdout.write(requirementList())
