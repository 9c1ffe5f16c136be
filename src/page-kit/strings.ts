// The texts of the page kit's components. Every surface that uses the kit provides them in the reader's language.

export interface KitStrings {
  never: string
  none: string
  any: string
  optional: string
  choose_file: string
  file_too_large: string
  password_entered: string
  filter: string
  filters: string
  active_filters: (count: number) => string
  copy: string
  copied: string
  pagination: string
  page: (page: number) => string
  range: (from: number, to: number, total: number) => string
  previous: string
  next: string
  active: string
  inactive: string
  view_data: string
  view_existing: string
  export_csv: string
  columns: string
  show_columns: string
  select_page: string
  invalid_fields: (count: number) => string
  month: string
  when: string
  /** Labels of fields by name; others are their name in sentence case. */
  fields: Readonly<Record<string, string>>
}
