/** In which order test files begin. */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that mostly wait, for a platform's clock or a killed process, begin first, so that something else is
 * always beside them; at the end they would wait alone. After them whatever starts whole services.
 */
export class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => rank(a) - rank(b))
  }
}

/** A minute and more each, almost without work. */
const LONG_WAITS = /\/test\/(?:chaos\/soak|e2e\/cluster)/
/** What starts whole services, browsers and other programs. */
const WHOLE = /\/test\/(?:browser|chaos|conformance|e2e)\/|\/test\/src\/(?:mcp\/client|tools\/browser)\//

function rank({ moduleId }: TestSpecification): number {
  if (LONG_WAITS.test(moduleId)) return 0
  return WHOLE.test(moduleId) ? 1 : 2
}
