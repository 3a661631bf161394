/**
 * Which properties a component of a JSON 2.0 card may have. The platform refuses unknown ones, so the
 * lists are the documented ones (component pages of the card guide, 2025).
 */

const everywhere = ['tag', 'element_id', 'margin']
const layout = [
  'padding',
  'direction',
  'horizontal_spacing',
  'horizontal_align',
  'vertical_spacing',
  'vertical_align',
]
const input = [
  'name',
  'required',
  'disabled',
  'disabled_tips',
  'hover_tips',
  'width',
  'behaviors',
  'value',
  'confirm',
]
const select = [
  ...input,
  'type',
  'placeholder',
  'options',
  'initial_option',
  'initial_index',
  'initial_options',
  'selected_values',
]
const picker = [...input, 'placeholder', 'initial_date', 'initial_time', 'initial_datetime']

const own: Readonly<Record<string, readonly string[]>> = {
  markdown: ['content', 'i18n_content', 'text_align', 'text_size', 'icon'],
  div: ['text', 'icon', 'width', 'fields', 'extra'],
  plain_text: ['content', 'i18n_content', 'text_size', 'text_align', 'text_color', 'lines'],
  lark_md: ['content', 'i18n_content', 'text_size', 'text_align', 'text_color', 'lines'],
  hr: [],
  img: [
    'img_key',
    'i18n_img_key',
    'alt',
    'title',
    'corner_radius',
    'scale_type',
    'size',
    'transparent',
    'preview',
  ],
  img_combination: ['combination_mode', 'combination_transparent', 'corner_radius', 'img_list'],
  person: ['user_id', 'size', 'show_avatar', 'show_name', 'style'],
  person_list: ['persons', 'lines', 'show_name', 'show_avatar', 'size', 'drop_invalid_user_id', 'icon'],
  chart: ['aspect_ratio', 'color_theme', 'chart_spec', 'preview', 'height'],
  table: [
    'page_size',
    'row_height',
    'row_max_height',
    'freeze_first_column',
    'header_style',
    'columns',
    'rows',
  ],
  audio: ['audio_id', 'file_key', 'show_time', 'style', 'width', 'text'],
  column_set: [...layout, 'flex_mode', 'background_style', 'columns', 'action'],
  column: [...layout, 'width', 'weight', 'background_style', 'elements', 'action'],
  form: [...layout, 'name', 'elements'],
  interactive_container: [
    ...layout,
    'width',
    'height',
    'background_style',
    'has_border',
    'border_color',
    'corner_radius',
    'behaviors',
    'disabled',
    'disabled_tips',
    'hover_tips',
    'confirm',
    'elements',
  ],
  collapsible_panel: [...layout, 'expanded', 'background_color', 'header', 'border', 'elements'],
  button: [...input, 'type', 'size', 'text', 'icon', 'url', 'multi_url', 'form_action_type'],
  input: [
    ...input,
    'placeholder',
    'default_value',
    'label',
    'label_position',
    'max_length',
    'input_type',
    'show_icon',
    'rows',
    'auto_resize',
    'max_rows',
  ],
  overflow: [...input, 'options'],
  select_static: select,
  multi_select_static: select,
  select_person: select,
  multi_select_person: select,
  date_picker: picker,
  picker_time: picker,
  picker_datetime: picker,
  select_img: [...input, 'multi_select', 'layout', 'style', 'can_preview', 'aspect_ratio', 'options'],
  checker: [...input, 'checked', 'text', 'overall_checkable', 'button_area', 'checked_style'],
}

/** Properties of a component by its tag; undefined for a tag that 2.0 does not know. */
export function propertiesOf(tag: string): ReadonlySet<string> | undefined {
  const names = own[tag]
  return names && new Set([...everywhere, ...names])
}

/** Tags that take input and therefore need a name inside a form. */
export const interactiveTags: ReadonlySet<string> = new Set([
  'button',
  'input',
  'select_static',
  'multi_select_static',
  'select_person',
  'multi_select_person',
  'date_picker',
  'picker_time',
  'picker_datetime',
  'select_img',
  'checker',
])

/** Containers that count toward the nesting limit. */
export const containerTags: ReadonlySet<string> = new Set([
  'column_set',
  'form',
  'interactive_container',
  'collapsible_panel',
])

/** Properties of the card itself. */
export const rootProperties: ReadonlySet<string> = new Set([
  'schema',
  'config',
  'card_link',
  'header',
  'body',
])

/** Properties of `config`. */
export const configProperties: ReadonlySet<string> = new Set([
  'streaming_mode',
  'streaming_config',
  'summary',
  'locales',
  'enable_forward',
  'update_multi',
  'width_mode',
  'use_custom_translation',
  'enable_forward_interaction',
  'style',
])

/** Properties of `header`. */
export const headerProperties: ReadonlySet<string> = new Set([
  'title',
  'subtitle',
  'text_tag_list',
  'i18n_text_tag_list',
  'template',
  'icon',
  'padding',
])

/** Properties of `body`. */
export const bodyProperties: ReadonlySet<string> = new Set([...layout, 'elements'])

/** Values of a button's `type`. */
export const buttonTypes: ReadonlySet<string> = new Set([
  'default',
  'primary',
  'danger',
  'text',
  'primary_text',
  'danger_text',
  'primary_filled',
  'danger_filled',
  'laser',
])

/** Values of `header.template`. */
export const headerTemplates: ReadonlySet<string> = new Set([
  'blue',
  'wathet',
  'turquoise',
  'green',
  'yellow',
  'orange',
  'red',
  'carmine',
  'violet',
  'purple',
  'indigo',
  'grey',
  'default',
])
