/** What goes back: success, refusal and fault in their envelopes. */
import type { RequestFault } from './control.ts'
import type { JsonObject } from './json.ts'
import type { Platform, Reply } from './platform.ts'
import type { Refusal } from './refusal.ts'

/** A response before it is written. `json` is absent for files and pages. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly json?: JsonObject
}

/** What a fault answers instead of the service: a page, or its status and code. */
export function faultAnswer(fault: RequestFault): Answer {
  if (fault.break === 'html')
    return {
      status: fault.status ?? 502,
      headers: { 'content-type': 'text/html' },
      body: Buffer.from('<html>Bad Gateway</html>'),
    }
  const status = fault.status ?? (fault.code === undefined ? 500 : 400)
  return jsonResponse(status, { code: fault.code ?? status, msg: fault.message ?? 'fault' }, fault.headers)
}

/** A JSON answer. */
export function jsonResponse(
  status: number,
  json: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    status,
    json,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: Buffer.from(JSON.stringify(json)),
  }
}

/** Success: `{code: 0, msg, data}`, or the fields at the top where older services put them. */
export function replyResponse(reply: Reply): Answer {
  if (reply.type === 'file') return { status: 200, headers: reply.headers, body: reply.bytes }
  const head = { code: 0, msg: reply.msg ?? 'success' }
  return jsonResponse(
    200,
    reply.type === 'top' ? { ...head, ...reply.fields } : { ...head, data: reply.data },
  )
}

/** The error envelope with log id; its status follows the settings unless the refusal names one. */
export function refusalResponse(platform: Platform, refusal: Refusal): Answer {
  const logId = platform.state.ids.hex(32)
  const violations = refusal.options.violations
  const error = {
    log_id: logId,
    troubleshooter: `https://open.feishu.cn/search?log_id=${logId}`,
    ...(violations ? { field_violations: violations } : {}),
  }
  const status = refusal.options.status ?? platform.state.settings.businessErrorStatus
  const json = { code: refusal.code, msg: refusal.message, error, ...refusal.options.data }
  return jsonResponse(status, json, { 'x-tt-logid': logId, ...refusal.options.headers })
}
