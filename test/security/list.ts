/** `npm run requirements`: every requirement with the tests that carry its id, or the reason why there is none. */
import { endWithReader } from '../../src/cli/reader-gone.ts'
import { requirementList } from './requirements.ts'

endWithReader(process)
process.stdout.write(requirementList())
