import type { PlaygroundRun } from '../../../protocol/playground.ts'
import { useStore, useText } from '../context.ts'
import { formatDuration, formatTime } from '../text.ts'
import { Icon, type IconName } from './icons.tsx'

/** The chat's runs, newest first, with what each did. */
export function Steps() {
  const { runs } = useStore()
  const t = useText()
  if (runs.value.length === 0) return <p class="empty">{t('runs.empty')}</p>
  return (
    <ol class="runs">
      {runs.value.map((run) => (
        <Run key={run.id} run={run} />
      ))}
    </ol>
  )
}

function Run({ run }: { readonly run: PlaygroundRun }) {
  const { texts } = useStore()
  const t = useText()
  return (
    <li class="run">
      <div class="run-head">
        <span class={`state ${run.state}`}>{t(`runs.state.${run.state}`)}</span>
        <time>{formatTime(run.startedAt, texts.language.value)}</time>
        {run.endedAt === undefined ? null : <span>{formatDuration(run.endedAt - run.startedAt)}</span>}
      </div>
      {run.reason ? <p class="run-reason">{run.reason}</p> : null}
      {run.steps.length === 0 ? <p class="run-none">{t('runs.noSteps')}</p> : null}
      <ol class="steps">
        {run.steps.map((step) => (
          <Step key={step.callId} step={step} />
        ))}
      </ol>
      <p class="run-numbers">{numbersOf(run, t).join(' · ')}</p>
    </li>
  )
}

const ICONS: Readonly<Record<PlaygroundRun['steps'][number]['status'], IconName>> = {
  running: 'clock',
  ok: 'check',
  failed: 'close',
  denied: 'stop',
  waiting: 'person',
}

function Step({ step }: { readonly step: PlaygroundRun['steps'][number] }) {
  const t = useText()
  return (
    <li class={`step ${step.status}`}>
      <span class="step-sign" role="img" aria-label={t(`runs.step.${step.status}`)}>
        <Icon name={ICONS[step.status]} />
      </span>
      <span class="step-text">
        <span class="step-title">{step.title}</span>
        <code>{step.tool}</code>
      </span>
      {step.ms === undefined ? null : <span class="step-ms">{formatDuration(step.ms)}</span>}
    </li>
  )
}

function numbersOf(run: PlaygroundRun, t: ReturnType<typeof useText>): readonly string[] {
  const count = (value: number): string => value.toLocaleString('en')
  return [
    ...(run.model === undefined ? [] : [t('runs.model', { model: run.model })]),
    t('runs.tokens', { input: count(run.inputTokens), output: count(run.outputTokens) }),
    ...(run.cachedTokens > 0 ? [t('runs.cached', { cached: count(run.cachedTokens) })] : []),
    ...(run.cost === undefined
      ? []
      : [t('runs.cost', { cost: `${run.cost.toFixed(4)} ${run.currency ?? ''}`.trim() })]),
  ]
}
