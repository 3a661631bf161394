#!/usr/bin/env node
/**
 * The program. Keeps what Node compiled beside the packages, so that every start after the first one
 * is quick, and only then loads the rest.
 */
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/yizhan', import.meta.url)))
const { runCommandLine } = await import('./cli/index.ts')
await runCommandLine(process.argv.slice(2))
