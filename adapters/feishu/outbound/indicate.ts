import type { Logger } from '../../../src/protocol/ports.ts'
import type { Api } from '../api/client.ts'
import { addReaction, removeReaction } from '../api/reaction.ts'

/** Feishu has no typing signal; this emoji on the person's message stands for it. */
const EMOJI = 'Typing'

/** Shows that work has begun; the returned function takes the sign away. Neither ever rejects. */
export async function indicate(api: Api, logger: Logger, messageId: string): Promise<() => Promise<void>> {
  try {
    const reactionId = await addReaction(api, messageId, EMOJI)
    return async () => {
      try {
        await removeReaction(api, messageId, reactionId)
      } catch (error) {
        logger.debug({ err: error, messageId }, 'feishu reaction could not be removed')
      }
    }
  } catch (error) {
    // A missing scope or a recalled message must not stop the run: this is decoration.
    logger.debug({ err: error, messageId }, 'feishu reaction could not be added')
    return () => Promise.resolve()
  }
}
