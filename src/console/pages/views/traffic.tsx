import { useState } from 'preact/hooks'
import type { PlaygroundTraffic } from '../../../protocol/playground.ts'
import { useStore, useText } from '../context.ts'
import type { TextKey } from '../texts/zh-cn.ts'
import { JsonView } from './json-view.tsx'

type Direction = PlaygroundTraffic['direction']
type Entry = Omit<PlaygroundTraffic, 'detail'>

const FILTERS: readonly { readonly direction: Direction | undefined; readonly label: TextKey }[] = [
  { direction: undefined, label: 'traffic.all' },
  { direction: 'in', label: 'traffic.in' },
  { direction: 'out', label: 'traffic.out' },
  { direction: 'link', label: 'traffic.link' },
]

const SIGNS: Readonly<Record<Direction, string>> = { in: '↓', out: '↑', link: '⇄' }

/** Everything that went over the wire, newest first. */
export function Traffic() {
  const { traffic } = useStore()
  const t = useText()
  const [direction, setDirection] = useState<Direction | undefined>(undefined)
  const [wanted, setWanted] = useState('')
  const { entries, omitted } = traffic.value
  const shown = entries
    .filter((entry) => direction === undefined || entry.direction === direction)
    .filter((entry) => `${entry.title} ${entry.outcome}`.toLowerCase().includes(wanted.trim().toLowerCase()))
    .toReversed()
  return (
    <div class="traffic">
      <div class="traffic-filter">
        <input
          type="search"
          value={wanted}
          placeholder={t('traffic.filter')}
          aria-label={t('traffic.filter')}
          onInput={({ currentTarget }) => setWanted(currentTarget.value)}
        />
        <fieldset aria-label={t('inspector.traffic')} class="chips">
          {FILTERS.map(({ direction: one, label }) => (
            <button
              key={label}
              type="button"
              aria-pressed={direction === one}
              onClick={() => setDirection(one)}
            >
              {t(label)}
            </button>
          ))}
        </fieldset>
      </div>
      {shown.length === 0 ? (
        <p class="empty">{t(entries.length === 0 ? 'traffic.empty' : 'traffic.noMatch')}</p>
      ) : (
        <ol>
          {shown.map((entry) => (
            <TrafficEntry key={entry.id} entry={entry} />
          ))}
        </ol>
      )}
      {omitted > 0 ? <p class="notice">{t('traffic.omitted', { count: entries.length, omitted })}</p> : null}
    </div>
  )
}

function TrafficEntry({ entry }: { readonly entry: Entry }) {
  const { trafficEntry } = useStore()
  const t = useText()
  const [open, setOpen] = useState(false)
  const [detail, setDetail] = useState<{ readonly json: unknown } | 'loading' | 'gone'>('loading')
  const toggle = (): void => {
    setOpen(!open)
    if (open) return
    trafficEntry(entry.id).then(
      (whole) => setDetail({ json: whole.detail }),
      () => setDetail('gone'),
    )
  }
  return (
    <li class={`traffic-entry ${entry.direction} ${entry.ok ? 'ok' : 'bad'}`}>
      <button type="button" aria-expanded={open} onClick={toggle}>
        <span class="direction" aria-hidden="true">
          {SIGNS[entry.direction]}
        </span>
        <span class="traffic-title">{entry.title}</span>
        <span class="outcome">{entry.outcome}</span>
        <time>{preciseTime(entry.at)}</time>
      </button>
      {open ? (
        <div class="traffic-detail">
          {detail === 'loading' ? <p>{t('traffic.loading')}</p> : null}
          {detail === 'gone' ? <p>{t('traffic.gone')}</p> : null}
          {typeof detail === 'object' ? <JsonView value={detail.json} /> : null}
        </div>
      ) : null}
    </li>
  )
}

function preciseTime(at: number): string {
  const date = new Date(at)
  const two = (value: number): string => String(value).padStart(2, '0')
  const ms = String(date.getMilliseconds()).padStart(3, '0')
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${ms}`
}
