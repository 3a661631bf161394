/** Turns a user name of `yizhan.yaml` into numbers. Knows `/etc/passwd`, not NSS: services run with local users. */
import { readFile } from 'node:fs/promises'

export interface Account {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

/** The account, or undefined when the file has none of that name. A number is a uid with the same gid. */
export async function findAccount(name: string, file = '/etc/passwd'): Promise<Account | undefined> {
  if (/^\d+$/.test(name)) return { name, uid: Number(name), gid: Number(name) }
  for (const line of (await readFile(file, 'utf8')).split('\n')) {
    const [entry, , uid, gid] = line.split(':')
    if (entry === name && uid && gid) return { name, uid: Number(uid), gid: Number(gid) }
  }
  return undefined
}
