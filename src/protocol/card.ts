/** A platform-independent card. Adapters render it in their platform's schema, within its limits. */

/** Meaning of a card's header, which decides its colour. */
export type CardTone = 'info' | 'warning' | 'danger' | 'success' | 'neutral'

/** One part of a card's body, shown from top to bottom. */
export type CardBlock =
  /** Literal text: nothing in it is markup, a mention or a link. */
  | {
      readonly type: 'text'
      readonly text: string
      /** For platforms with little room: the same in fewer words; empty when other parts of the card say it. */
      readonly short?: string
      /** For a message in place of the card, in which nothing can be clicked: the same without its buttons. */
      readonly buttonless?: string
    }
  /** Agent or service markdown. The adapter neutralises mentions and whatever breaks the card. */
  | { readonly type: 'markdown'; readonly text: string }
  /** Literal text in a fixed-width box. Never shortened silently: what does not fit is an error. */
  | { readonly type: 'code'; readonly text: string }
  | {
      readonly type: 'fields'
      readonly fields: readonly {
        readonly name: string
        readonly value: string
        /** The name for a narrow column. */
        readonly shortName?: string
        /** The value for a narrow column; it names the same thing. */
        readonly short?: string
      }[]
    }
  | { readonly type: 'divider' }

/** A button; pressing it becomes an `ActionEvent`. */
export interface CardButton {
  readonly text: string
  readonly style: 'primary' | 'danger' | 'default'
  /** Comes back in `ActionEvent.value`, unchanged. Only ids, never meaning. */
  readonly value: Readonly<Record<string, string>>
}

/** A choice of one option from a list. */
export interface CardSelect {
  readonly name: string
  readonly label: string
  readonly options: readonly {
    readonly value: string
    readonly text: string
  }[]
  readonly initial: string
}

/** A whole card. An adapter that cannot show all of it rejects with `<platform>.card_…`; it never drops a part silently. */
export interface Card {
  readonly title: string
  readonly tone: CardTone
  /** Short state label beside the title ("待审批"). */
  readonly tag?: string
  readonly blocks: readonly CardBlock[]
  readonly buttons: readonly CardButton[]
  /** At most one choice; it arrives in `ActionEvent.form[name]` with whichever button is pressed. */
  readonly select?: CardSelect
  /** One line for the chat list and the lock screen. */
  readonly summary: string
  /** Unique and stable for one card; WeCom's `task_id`. `[A-Za-z0-9_-]`, at most 100 characters. */
  readonly cardId: string
}
