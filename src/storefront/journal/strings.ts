// What the journal has to say.
import type { Sentence } from "../../core/i18n/locale"

export const JOURNAL_NAME: Sentence = {
  en: "Journal",
  es: "Diario",
  fr: "Journal",
  vi: "Nhật ký",
}

export const LATEST: Sentence = {
  en: "From the journal",
  es: "Del diario",
  fr: "Dans le journal",
  vi: "Từ nhật ký",
}

export const READ: Sentence = {
  en: "Read the journal",
  es: "Leer el diario",
  fr: "Lire le journal",
  vi: "Đọc nhật ký",
}

export const ALL_POSTS: Sentence = {
  en: "All posts",
  es: "Todas las entradas",
  fr: "Tous les articles",
  vi: "Tất cả bài viết",
}

export const MORE_TO_READ: Sentence = {
  en: "More to read",
  es: "Más lecturas",
  fr: "À lire aussi",
  vi: "Đọc thêm",
}

export const NO_POSTS: Sentence = {
  en: "Nothing has been written yet. Come back soon.",
  es: "Aún no hay nada escrito. Vuelve pronto.",
  fr: "Rien n’est encore écrit. Revenez bientôt.",
  vi: "Chưa có bài viết nào. Hẹn sớm gặp lại.",
}
