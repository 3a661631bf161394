import type { PlaygroundFile } from '../../../protocol/playground.ts'
import { useStore, useText } from '../context.ts'
import { formatBytes } from '../text.ts'
import { Icon } from './icons.tsx'

/** A file to download. */
export function FileChip({ file }: { readonly file: PlaygroundFile }) {
  const { api, current } = useStore()
  const t = useText()
  const extension = /\.([a-z0-9]{1,5})$/i.exec(file.name)?.[1] ?? ''
  return (
    <a
      class="file-chip"
      href={api.fileUrl(current.value?.platform ?? '', file.id)}
      download={file.name}
      aria-label={t('file.download', { name: file.name })}
    >
      <span class="file-sign" aria-hidden="true">
        <Icon name="file" />
        <span>{extension.toUpperCase()}</span>
      </span>
      <span class="file-text">
        <span class="file-name">{file.name}</span>
        <span class="file-size">{formatBytes(file.bytes)}</span>
      </span>
      <Icon name="download" />
    </a>
  )
}

/** A picture, shown small; a click opens it whole. */
export function ImageFile({ file, alt }: { readonly file: PlaygroundFile; readonly alt: string }) {
  const { api, current } = useStore()
  const t = useText()
  const url = api.fileUrl(current.value?.platform ?? '', file.id)
  return (
    <a
      class="image"
      href={url}
      target="_blank"
      rel="noopener"
      aria-label={t('file.open', { name: file.name })}
    >
      <img src={url} alt={alt || file.name || t('message.image')} loading="lazy" />
    </a>
  )
}
