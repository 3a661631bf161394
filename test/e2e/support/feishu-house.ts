/** A whole service against the Feishu simulator, on real time unless a clock is given. */
import type { FeishuControl, TranscriptMessage } from '../../../adapters/feishu/simulator/index.ts'
import type { Clock } from '../../../src/protocol/ports.ts'
import { createSystemClock } from '../../../src/system/clock.ts'
import { type FeishuCompany, type FeishuPerson, openFeishuCompany } from './feishu-company.ts'
import { type House, type HouseOptions, openHouse } from './house.ts'

export type FeishuHouse = House<
  FeishuCompany & {
    readonly control: FeishuControl
    /** Says a text with a mention of the bot; returns the message's id. */
    ask(text: string, options?: { from?: FeishuPerson; chatId?: string }): string
    /** Messages of the bot in a chat, as Feishu shows them now. */
    answers(chatId?: string): TranscriptMessage[]
  }
>

export async function openFeishuHouse(
  options: HouseOptions = {},
  clock: Clock = createSystemClock(),
): Promise<FeishuHouse> {
  const company = await openFeishuCompany(clock)
  const { bot, chatId, people } = company
  const { control } = company.simulator
  return openHouse(
    {
      ...company,
      control,
      ask: (words: string, options: { from?: FeishuPerson; chatId?: string } = {}) =>
        control.say(options.chatId ?? chatId, (options.from ?? people.member).userId, [
          { at: bot.appId },
          ` ${words}`,
        ]),
      answers: (chat = chatId) => control.transcript(chat).filter(({ sender }) => sender.kind === 'bot'),
    },
    clock,
    options,
  )
}
