// Strings of the journal pages.
import type { Translations } from "../../core/i18n/locale"

export const JOURNAL_NAME: Translations = {
  en: "Journal",
  es: "Diario",
  fr: "Journal",
  vi: "Nhật ký",
}

export const LATEST: Translations = {
  en: "From the journal",
  es: "Del diario",
  fr: "Dans le journal",
  vi: "Từ nhật ký",
}

export const READ_JOURNAL: Translations = {
  en: "Read the journal",
  es: "Leer el diario",
  fr: "Lire le journal",
  vi: "Đọc nhật ký",
}

export const ALL_POSTS: Translations = {
  en: "All posts",
  es: "Todas las entradas",
  fr: "Tous les articles",
  vi: "Tất cả bài viết",
}

export const MORE_TO_READ: Translations = {
  en: "More posts",
  es: "Más entradas",
  fr: "À lire aussi",
  vi: "Bài viết khác",
}

export const NO_POSTS: Translations = {
  en: "No posts yet. Check back soon.",
  es: "Aún no hay entradas. Vuelva pronto.",
  fr: "Aucun article pour le moment. Revenez bientôt.",
  vi: "Chưa có bài viết nào. Hãy quay lại sau.",
}
