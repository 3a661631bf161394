/** The AI bot's JSON (docs 100719, 101027), same in the long connection and decrypted URL callbacks. */
import { z } from 'zod'

const media = z.looseObject({ url: z.string(), aeskey: z.string().optional() })
const textPart = z.looseObject({ content: z.string() })

const content = {
  text: textPart.optional(),
  voice: textPart.optional(),
  image: media.optional(),
  file: media.optional(),
  video: media.optional(),
  mixed: z
    .looseObject({
      msg_item: z.array(
        z.looseObject({ msgtype: z.string(), text: textPart.optional(), image: media.optional() }),
      ),
    })
    .optional(),
}

const contentSchema = z.looseObject({ msgtype: z.string(), ...content })

/** Fields of every callback, message or event. */
const commonSchema = z.looseObject({
  msgid: z.string(),
  /** Seconds; not always there in the field. */
  create_time: z.coerce.number().optional(),
  aibotid: z.string().optional(),
  chatid: z.string().optional(),
  chattype: z.string().optional(),
  /** Absent in `disconnected_event`. */
  from: z.looseObject({ userid: z.string(), corpid: z.string().optional() }).optional(),
  response_url: z.string().optional(),
  msgtype: z.string(),
})

const cardEvent = z.looseObject({
  card_type: z.string().optional(),
  event_key: z.string().optional(),
  task_id: z.string().optional(),
  selected_items: z
    .looseObject({
      selected_item: z
        .array(
          z.looseObject({
            question_key: z.string(),
            option_ids: z.looseObject({ option_id: z.array(z.string()).default([]) }).optional(),
          }),
        )
        .default([]),
    })
    .optional(),
})

const feedbackEvent = z.looseObject({
  id: z.string().optional(),
  type: z.number().optional(),
  content: z.string().optional(),
})

const eventSchema = z.looseObject({
  eventtype: z.string(),
  template_card_event: cardEvent.optional(),
  feedback_event: feedbackEvent.optional(),
})

export const aibotSchema = commonSchema.extend({
  ...content,
  quote: contentSchema.optional(),
  stream: z.looseObject({ id: z.string() }).optional(),
  event: eventSchema.optional(),
})

export type AibotPayload = z.output<typeof aibotSchema>
export type AibotContent = z.output<typeof contentSchema>
type AibotEvent = z.output<typeof eventSchema>
type AibotCardEvent = z.output<typeof cardEvent>

/** The click's body: nested under its own name on the wire, flat in the SDK's types; both are read. */
export function cardEventOf(event: AibotEvent): AibotCardEvent {
  const flat = cardEvent.safeParse(event)
  return event.template_card_event ?? (flat.success ? flat.data : {})
}
