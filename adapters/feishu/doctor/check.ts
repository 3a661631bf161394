import type { AdapterStatus } from '../../../src/protocol/adapter.ts'
import type { AppError } from '../../../src/protocol/errors.ts'
import type { Translate } from '../../../src/protocol/ports.ts'
import type { Api } from '../api/client.ts'
import type { ConsolePage } from '../config.ts'
import type { Application } from './application.ts'

/** What the doctor is given. */
export interface DoctorDeps {
  readonly api: Api
  readonly fetch: typeof fetch
  readonly text: Translate
  /** State of the running socket, if this process has one. */
  readonly transport: AdapterStatus | undefined
}

/** What the checks may ask. */
export interface CheckDeps extends DoctorDeps {
  /** The application as Feishu tells it; asked for once in a round. */
  readonly application: (signal: AbortSignal) => Promise<Application>
}

/** Outcome of one check, before it gets its name and link. */
export interface Finding {
  readonly ok: boolean
  readonly unseen?: true
  readonly detail: string
  /** What to change; the console page is linked beside it. */
  readonly fix?: string
  /** What the platform refused with, for whoever tells it in another language. */
  readonly error?: AppError
  /** Another page than the check's own. */
  readonly page?: ConsolePage
}

/** One question about the app's settings. A refusal of Feishu may simply be thrown. */
export interface Check {
  /** Key of its name in the locale files. */
  readonly name: string
  readonly page: ConsolePage
  run(deps: CheckDeps, signal: AbortSignal): Promise<Finding>
}
