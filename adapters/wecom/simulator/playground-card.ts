/** A template card → the playground's neutral blocks, in the order in which WeCom's client paints it. */
import type { PlaygroundBlock, PlaygroundButton, PlaygroundCard } from '../../../src/protocol/playground.ts'
import type { CardButton, CardView } from './view.ts'

const STYLES: Readonly<Record<number, PlaygroundButton['style']>> = { 1: 'primary', 3: 'danger' }

function paintButton(button: CardButton): PlaygroundButton {
  const { key, text, style = 1, url } = button
  return {
    id: key || text,
    text,
    style: STYLES[style] ?? 'default',
    disabled: false,
    ...(url === undefined ? {} : { url }),
  }
}

function buttonsOf(card: CardView): PlaygroundButton[] {
  if (card.replaceText !== undefined) {
    return [{ id: 'replaced', text: card.replaceText, style: 'default', disabled: true }]
  }
  const { submit, url } = card
  return [
    ...card.buttons.map(paintButton),
    ...(submit ? [paintButton({ key: submit.key, text: submit.text })] : []),
    ...(url === undefined ? [] : [paintButton({ key: 'open', text: '查看详情', style: 4, url })]),
  ]
}

/** Paints a card as one viewer sees it. Buttons are named by their key. */
export function playgroundCard(card: CardView): PlaygroundCard {
  const buttons = buttonsOf(card)
  const { emphasis } = card
  const blocks: PlaygroundBlock[] = [
    ...(emphasis?.title === undefined ? [] : [{ type: 'markdown' as const, text: `## ${emphasis.title}` }]),
    ...(emphasis?.description === undefined ? [] : [{ type: 'note' as const, text: emphasis.description }]),
    ...(card.quote === undefined ? [] : [{ type: 'note' as const, text: card.quote }]),
    ...(card.subTitle === undefined ? [] : [{ type: 'plain' as const, text: card.subTitle }]),
    ...(card.rows.length === 0
      ? []
      : [{ type: 'fields' as const, fields: card.rows.map(({ name, value }) => ({ name, value })) }]),
    ...card.choices.map((choice) => ({
      type: 'select' as const,
      name: choice.questionKey,
      label: choice.title,
      options: choice.options.map(({ id, text }) => ({ value: id, text })),
      initial: choice.selectedIds[0] ?? '',
      disabled: choice.disabled,
    })),
    ...(buttons.length === 0 ? [] : [{ type: 'buttons' as const, buttons }]),
  ]
  if (card.title === undefined) return { blocks }
  const header = {
    title: card.title,
    ...(card.description === undefined ? {} : { subtitle: card.description }),
    color: 'none' as const,
    tags: card.source === undefined ? [] : [{ text: card.source, color: 'grey' as const }],
  }
  return { header, blocks }
}
