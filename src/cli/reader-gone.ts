/** Whoever reads only the first lines of what is printed (`| head`) has what was wanted: no error, no stack. */
export function endWithReader(process: Pick<NodeJS.Process, 'stdout' | 'exit'>): void {
  process.stdout.once('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
}
