/** What a file's name says: whether it may leave the workspace, how it is shown, what kind it is. */
import type { OutboundFile } from '../../protocol/outbound.ts'

const SECRET =
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519)\b.*|.*\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|ovpn)|credentials(?:\..*)?|secrets?\.(?:ya?ml|json|toml|env)|.*\.env)$/i

/** True for hidden files and folders, key files, and names that begin like a private key. */
export function isSecretName(path: string): boolean {
  return path
    .split('/')
    .filter((part) => part !== '.' && part !== '..')
    .some((part) => part.startsWith('.') || SECRET.test(part) || /^id_[^.]*$/i.test(part))
}

/** The name as people see it: without control, bidirectional and invisible characters, which disguise an ending. */
export function shownName(name: string): string {
  const shown = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u3164\uffa0\u2800]/gu, '').trim()
  return shown === '' ? 'file' : shown
}

const KINDS: readonly (readonly [kind: OutboundFile['kind'], ending: RegExp])[] = [
  ['image', /\.(?:png|jpe?g|gif|webp|bmp)$/i],
  ['audio', /\.(?:mp3|wav|m4a|aac|amr|opus|ogg|flac)$/i],
  ['video', /\.(?:mp4|mov|avi|webm|mkv)$/i],
]

/** How the platform should show it; SVG is a file, since it can hold scripts. */
export function fileKind(name: string): OutboundFile['kind'] {
  return KINDS.find(([, ending]) => ending.test(name))?.[0] ?? 'file'
}
