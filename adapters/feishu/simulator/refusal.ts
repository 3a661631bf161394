import type { JsonObject } from './json.ts'

/** What goes along with a refusal. */
export interface RefusalOptions {
  /** HTTP status; absent follows the setting for business errors. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly violations?: readonly { field: string; description: string }[]
  /** Further fields beside `code` and `msg`. */
  readonly data?: JsonObject
}

/** The platform says no. The request pipeline turns it into the error envelope. */
export class Refusal extends Error {
  readonly code: number
  readonly options: RefusalOptions

  constructor(code: number, message: string, options: RefusalOptions = {}) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.options = options
  }
}

/** A required or malformed field, as the gateway reports it before the service sees the request. */
export function invalidField(field: string, description: string): Refusal {
  return new Refusal(99992402, 'field validation failed', { violations: [{ field, description }] })
}

/** A parameter that the message service itself refuses. */
export function invalidParam(ext: string): Refusal {
  return new Refusal(230001, `Your request contains an invalid request parameter, ext=${ext}`)
}

/** A card that cannot be made; `inner` is the number inside the text. */
export function invalidCard(inner: number, reason: string, value = ''): Refusal {
  return new Refusal(
    230099,
    `Failed to create card content, ext=ErrCode: ${inner}; ErrMsg: ${reason}; ErrorValue: ${value};`,
  )
}
