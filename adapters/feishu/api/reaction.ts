import { z } from 'zod'
import { type Api, anyAnswer } from './client.ts'

const reactionSchema = z.looseObject({ data: z.looseObject({ reaction_id: z.string().min(1) }) })

/** Puts an emoji on a message and returns the reaction's id. Emoji names are case-sensitive. */
export async function addReaction(api: Api, messageId: string, emoji: string): Promise<string> {
  const answer = await api.json(
    {
      api: 'im.reaction.create',
      method: 'POST',
      path: `/open-apis/im/v1/messages/${encodeURIComponent(messageId)}/reactions`,
      json: { reaction_type: { emoji_type: emoji } },
    },
    reactionSchema,
  )
  return answer.data.reaction_id
}

/** Takes an own reaction away. */
export async function removeReaction(api: Api, messageId: string, reactionId: string): Promise<void> {
  await api.json(
    {
      api: 'im.reaction.delete',
      method: 'DELETE',
      path: `/open-apis/im/v1/messages/${encodeURIComponent(messageId)}/reactions/${encodeURIComponent(reactionId)}`,
    },
    anyAnswer,
  )
}
