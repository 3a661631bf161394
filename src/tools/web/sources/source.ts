/** Where a web search can be asked. A new source is one file and a line in `index.ts`. */

export interface SearchResult {
  readonly title: string
  readonly url: string
  readonly summary: string
}

export interface SearchSource {
  /** For people and the model: `bocha`, `searxng`, `bing.com`. */
  readonly name: string
  /** Results in the source's order; rejects with an error whose message says why in a few words. */
  search(query: string, count: number, signal: AbortSignal): Promise<readonly SearchResult[]>
}
