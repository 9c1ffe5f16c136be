// Strings of the reviews on a store's pages.
import { localize } from "../../../core/i18n/locale"

export const REVIEWS = localize("Reviews", "Reseñas", "Avis", "Đánh giá")

export const NO_REVIEWS = localize(
  "No reviews yet.",
  "Aún no hay reseñas.",
  "Aucun avis pour le moment.",
  "Chưa có đánh giá nào.",
)

export const WRITE_REVIEW = localize("Write a review", "Escribir una reseña", "Donner mon avis", "Viết đánh giá")

export const SUBMIT_REVIEW = localize("Submit review", "Enviar reseña", "Envoyer mon avis", "Gửi đánh giá")

export const UPDATE_REVIEW = localize("Save changes", "Guardar los cambios", "Enregistrer", "Lưu thay đổi")

/** Described to screen readers, in place of stars. */
export const OUT_OF_FIVE = localize(
  ":rating out of 5 stars",
  ":rating de 5 estrellas",
  ":rating sur 5 étoiles",
  ":rating trên 5 sao",
)

export const RATING = localize("Rating", "Valoración", "Note", "Xếp hạng")

export const COMMENT = localize("Review", "Reseña", "Avis", "Nhận xét")

export const THANKS = localize(
  "Thank you. Your review was saved.",
  "Gracias. Se ha guardado su reseña.",
  "Merci. Votre avis a été enregistré.",
  "Cảm ơn bạn. Đánh giá đã được lưu.",
)

export const SIGN_IN_FIRST = localize(
  "Sign in to review a product that you have bought.",
  "Inicie sesión para reseñar un producto que haya comprado.",
  "Connectez-vous pour donner votre avis sur un produit que vous avez acheté.",
  "Đăng nhập để đánh giá sản phẩm bạn đã mua.",
)

export const SIGN_IN = localize("Sign in", "Iniciar sesión", "Se connecter", "Đăng nhập")

export const BUYERS_ONLY = localize(
  "Only customers who have bought and paid for this product can review it.",
  "Solo pueden reseñar este producto los clientes que lo han comprado y pagado.",
  "Seuls les clients qui ont acheté et payé ce produit peuvent donner leur avis.",
  "Chỉ khách hàng đã mua và thanh toán sản phẩm này mới có thể đánh giá.",
)

export const BACK = localize("Back to the product", "Volver al producto", "Retour au produit", "Quay lại sản phẩm")
