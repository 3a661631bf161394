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

function rank({ moduleId, project }: TestSpecification): number {
  if (/\/test\/(?:chaos\/|e2e\/(?:cluster|kill))/.test(moduleId)) return 0
  return project.name === 'whole' ? 1 : 2
}
