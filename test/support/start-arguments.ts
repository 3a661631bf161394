import { readFileSync } from 'node:fs'

/** What `npm start` hands to Node, so that exactly what operators run is tested and measured. */
export function startArguments(): readonly string[] {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } }
  return manifest.scripts.start.split(' ').slice(1)
}
