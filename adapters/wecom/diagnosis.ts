/** Live checks for the doctor: each says what is wrong, and where to click. */
import { z } from 'zod'
import type { AdapterStatus, Diagnosis } from '../../src/protocol/adapter.ts'
import { AppError } from '../../src/protocol/errors.ts'
import type { Clock, Translate } from '../../src/protocol/ports.ts'
import type { AppApi } from './app-api.ts'
import { isCallbackBot, isSocketBot, type WecomConfig } from './config.ts'
import { ADMIN_PAGE } from './errors.ts'

interface DiagnosisDeps {
  readonly config: WecomConfig
  readonly clock: Clock
  readonly status: () => AdapterStatus
  readonly api: AppApi | undefined
  readonly text: Translate
}

const agentSchema = z.looseObject({
  name: z.string().default(''),
  allow_userinfos: z.looseObject({ user: z.array(z.unknown()).default([]) }).optional(),
  allow_partys: z.looseObject({ partyid: z.array(z.unknown()).default([]) }).optional(),
  allow_tags: z.looseObject({ tagid: z.array(z.unknown()).default([]) }).optional(),
})

export async function diagnoseWecom(deps: DiagnosisDeps, signal: AbortSignal): Promise<Diagnosis[]> {
  const { config, api, text } = deps
  const findings = [...connectionFindings(deps)]
  if (api) {
    const token = await check('wecom.app.secret', text('wecom.doctor.token'), () => api.tokens.get())
    findings.push(token)
    // Without a token every further call fails for the same reason, and wrong secrets get addresses banned.
    if (token.ok)
      findings.push(await visibleRange(deps, api, signal), await approvals(deps, api, signal), callback(deps))
  }
  const robots = Object.keys(config.groupRobots)
  if (robots.length > 0) {
    findings.push({
      check: 'wecom.robots',
      ok: true,
      detail: text('wecom.doctor.robots', { names: robots.join(', ') }),
    })
  }
  return findings
}

function connectionFindings(deps: DiagnosisDeps): Diagnosis[] {
  const { text } = deps
  const { aibot } = deps.config
  if (isSocketBot(aibot)) {
    const { state, detail } = deps.status()
    // One bot has one connection: a try of ours would push the running service out.
    const untried = state !== 'connected' && detail === ''
    const ok = state === 'connected' || untried
    const fix = text('wecom.doctor.connection.fix')
    return [
      {
        check: 'wecom.aibot.connection',
        ok,
        detail: untried
          ? text('wecom.doctor.untried')
          : ok
            ? text('wecom.doctor.subscribed')
            : `${state}: ${detail}`,
        ...(!ok && { fix, link: ADMIN_PAGE }),
      },
    ]
  }
  if (isCallbackBot(aibot)) {
    return [
      {
        check: 'wecom.aibot.callback',
        ok: true,
        detail: text('wecom.doctor.callback', { path: `/webhooks/${deps.config.id}/aibot` }),
      },
    ]
  }
  return []
}

async function visibleRange({ text }: DiagnosisDeps, api: AppApi, signal: AbortSignal): Promise<Diagnosis> {
  return check('wecom.app.range', '', async () => {
    const answer = await api.read('agent/get', { agentid: String(api.config.agentId) }, signal)
    const agent = agentSchema.parse(answer)
    const users = agent.allow_userinfos?.user.length ?? 0
    const departments = agent.allow_partys?.partyid.length ?? 0
    const tags = agent.allow_tags?.tagid.length ?? 0
    if (users + departments + tags === 0) {
      throw new AppError('wecom.out_of_range', 'nobody is in the visible range', {
        hint: `App page → visible range: add the people or departments. ${ADMIN_PAGE}#apps`,
      })
    }
    return text('wecom.doctor.range', { name: agent.name, users, departments, tags })
  })
}

async function approvals(deps: DiagnosisDeps, api: AppApi, signal: AbortSignal): Promise<Diagnosis> {
  const now = Math.floor(deps.clock.now() / 1_000)
  const body = { starttime: String(now - 3_600), endtime: String(now), new_cursor: '', size: 1 }
  return check('wecom.app.approvals', deps.text('wecom.doctor.approvals'), () =>
    api.post('oa/getapprovalinfo', body, { repeatable: true, signal }),
  )
}

function callback({ config, text }: DiagnosisDeps): Diagnosis {
  const set = config.app?.token !== undefined
  return {
    check: 'wecom.app.callback',
    ok: true,
    detail: set ? `/webhooks/${config.id}/app` : text('wecom.doctor.no_callback'),
  }
}

async function check(name: string, good: string, probe: () => Promise<unknown>): Promise<Diagnosis> {
  try {
    const result = await probe()
    return { check: name, ok: true, detail: name === 'wecom.app.range' ? String(result) : good }
  } catch (error) {
    const hint = error instanceof AppError ? error.hint : ''
    const detail = error instanceof Error ? error.message : String(error)
    return {
      ...{ check: name, ok: false, detail },
      ...(hint !== '' && { fix: hint, link: ADMIN_PAGE }),
      ...(error instanceof AppError && { error }),
    }
  }
}
