const MAX_NAME_BYTES = 240

/**
 * A file name that cannot leave its folder or its header: the last path part, without control,
 * bidirectional and invisible characters, at most 240 bytes with the extension kept.
 */
export function safeName(name: string, fallback = 'file'): string {
  const base = name.split(/[/\\]/).at(-1) ?? ''
  const clean = base
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .replace(/^[.\s]+/, '')
    .trim()
  if (!clean) return fallback
  if (Buffer.byteLength(clean) <= MAX_NAME_BYTES) return clean
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(clean)?.[0] ?? ''
  const points = [...clean.slice(0, clean.length - extension.length)]
  while (Buffer.byteLength(points.join('') + extension) > MAX_NAME_BYTES) points.pop()
  return points.join('') + extension
}
