// Strings of the gallery pages.
import type { Translations } from "../../../core/i18n/locale"

export const GALLERIES: Translations = {
  en: "Galleries",
  es: "Galerías",
  fr: "Galeries",
  vi: "Bộ sưu tập ảnh",
}

export const VIEW_GALLERIES: Translations = {
  en: "View galleries",
  es: "Ver las galerías",
  fr: "Voir les galeries",
  vi: "Xem bộ sưu tập ảnh",
}

export const ALL_GALLERIES: Translations = {
  en: "All galleries",
  es: "Todas las galerías",
  fr: "Toutes les galeries",
  vi: "Tất cả bộ sưu tập ảnh",
}

export const NO_GALLERIES: Translations = {
  en: "No galleries yet. Check back soon.",
  es: "Aún no hay galerías. Vuelva pronto.",
  fr: "Aucune galerie pour le moment. Revenez bientôt.",
  vi: "Chưa có bộ sưu tập ảnh nào. Hãy quay lại sau.",
}

export const NO_PICTURES: Translations = {
  en: "This gallery has no pictures yet.",
  es: "Esta galería aún no tiene imágenes.",
  fr: "Cette galerie ne contient pas encore d’images.",
  vi: "Bộ sưu tập ảnh này chưa có hình ảnh.",
}
