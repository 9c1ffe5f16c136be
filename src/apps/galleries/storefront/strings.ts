// What the pages of galleries have to say.
import type { Sentence } from "../../../core/i18n/locale"

export const GALLERIES: Sentence = {
  en: "Galleries",
  es: "Galerías",
  fr: "Galeries",
  vi: "Bộ sưu tập ảnh",
}

export const ENTER: Sentence = {
  en: "Enter the galleries",
  es: "Entrar en las galerías",
  fr: "Entrer dans les galeries",
  vi: "Xem bộ sưu tập ảnh",
}

export const ALL_GALLERIES: Sentence = {
  en: "All galleries",
  es: "Todas las galerías",
  fr: "Toutes les galeries",
  vi: "Tất cả bộ sưu tập",
}

export const NO_GALLERIES: Sentence = {
  en: "Nothing is hanging yet. Come back soon.",
  es: "Aún no hay nada colgado. Vuelve pronto.",
  fr: "Rien n’est encore accroché. Revenez bientôt.",
  vi: "Chưa có bộ sưu tập nào. Hẹn sớm gặp lại.",
}

export const NO_PICTURES: Sentence = {
  en: "The pictures of this gallery are on their way.",
  es: "Las imágenes de esta galería están en camino.",
  fr: "Les images de cette galerie arrivent.",
  vi: "Hình ảnh của bộ sưu tập này sẽ sớm có.",
}
