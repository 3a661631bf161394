import { useStore, useText } from '../context.ts'
import type { TextKey } from '../texts/zh-cn.ts'

const TRY: readonly TextKey[] = [
  ...(['about.try1', 'about.try2', 'about.try3'] as const),
  ...(['about.try4', 'about.try5', 'about.try6'] as const),
]

export function About() {
  const { state } = useStore()
  const t = useText()
  const about = state.value?.about
  return (
    <div class="about">
      <h2>{t('about.what')}</h2>
      <p>{t('about.whatText')}</p>
      <h2>{t('about.try')}</h2>
      <ul>
        {TRY.map((key) => (
          <li key={key}>{t(key)}</li>
        ))}
      </ul>
      <h2>{t('about.real')}</h2>
      <p>{t('about.realText')}</p>
      {about ? (
        <dl>
          <dt>{t('about.model')}</dt>
          <dd>{about.demo ? t('about.demo') : about.model}</dd>
          <dt>{t('about.version')}</dt>
          <dd>{about.version}</dd>
        </dl>
      ) : null}
    </div>
  )
}
