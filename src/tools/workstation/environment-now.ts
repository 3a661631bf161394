import { z } from 'zod'
import { type AnyTool, defineTool } from '../../protocol/tool.ts'
import { baseEnvironment } from '../../sandbox/index.ts'
import { asResult } from '../failure.ts'
import { jobLine } from './job-text.ts'
import type { Jobs } from './jobs.ts'
import { jsonResult } from './json-result.ts'
import { diskOf } from './system-status.ts'

/** What may be different at the next call; never kept. */
export function createEnvironmentNow(jobs: Jobs): AnyTool {
  return defineTool({
    name: 'environment_now',
    description:
      'Tells what holds at this moment, as JSON: time, working directory, the environment variables that commands get, ' +
      'background commands of this session, free disk. Looked up at every call. What never changes: environment_static.',
    input: z.strictObject({}),
    readOnly: true,
    risk: 'read',
    title: (_args, text) => text('tools.environment_now.title'),
    run: (_args, ctx) =>
      asResult(async () => {
        // The sandbox's own variables: those of the service hold its secrets and are nobody's business.
        const variables = baseEnvironment(ctx.workspace)
        const zone = variables['TZ'] ?? 'UTC'
        const now = ctx.clock.now()
        const running = (await jobs.list(ctx)).filter((job) => job.state === 'running')
        const disk = await diskOf(ctx.workspace)
        return jsonResult({
          time_utc: new Date(now).toISOString(),
          time_local: `${new Date(now).toLocaleString('sv-SE', { timeZone: zone })} ${zone}`,
          working_directory: ctx.workspace,
          environment_variables: variables,
          background_commands: running.map((job) => jobLine(job, ctx.clock)),
          disk_free_bytes: disk.disk_free_bytes,
        })
      }),
  })
}
