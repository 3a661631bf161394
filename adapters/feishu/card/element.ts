/** The few elements of card JSON 2.0 that we paint with, as plain JSON. */
type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** A card or a part of one, as it goes over the wire. */
export interface CardJson {
  readonly [key: string]: Json
}

/** Text object in which nothing is markup. */
export function plainText(content: string): CardJson {
  return { tag: 'plain_text', content }
}

/** Text that is shown character by character: no markup, mention or link in it can work. */
export function literal(content: string): CardJson {
  return { tag: 'div', text: plainText(content) }
}

/** Markdown; `id` must be unique in the card, start with a letter and have at most 20 characters. */
export function markdown(content: string, id?: string): CardJson {
  return id === undefined ? { tag: 'markdown', content } : { tag: 'markdown', element_id: id, content }
}

/** A horizontal line. */
export function divider(): CardJson {
  return { tag: 'hr' }
}

/** Columns of given weights beside each other, optionally on grey. */
export function columns(
  cells: readonly { readonly weight: number; readonly element: CardJson }[],
  background?: 'grey',
): CardJson {
  return {
    tag: 'column_set',
    ...(background ? { background_style: background } : {}),
    columns: cells.map((cell) => ({
      tag: 'column',
      width: 'weighted',
      weight: cell.weight,
      elements: [cell.element],
    })),
  }
}

/** Bytes of the card as it goes into `content`; the platform's limits count these. */
export function cardBytes(card: CardJson): number {
  return Buffer.byteLength(JSON.stringify(card), 'utf8')
}
