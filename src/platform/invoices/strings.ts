// Strings of invoices and credit notes, in every language.
import { createTranslator, localize, type Translations } from "../../core/i18n/locale"

const INVOICE_STRINGS = {
  plan: localize("Plan", "Plan", "Forfait", "Gói"),
  date: localize("Date", "Fecha", "Date", "Ngày"),
  invoice: localize("Invoice", "Factura", "Facture", "Hóa đơn"),
  credit_note: localize("Credit note", "Factura rectificativa", "Avoir", "Hóa đơn điều chỉnh giảm"),
  seller: localize("Seller", "Vendedor", "Vendeur", "Bên bán"),
  buyer: localize("Bill to", "Cliente", "Client", "Bên mua"),
  period: localize("Period", "Periodo", "Période", "Kỳ"),
  net: localize("Net", "Neto", "Montant HT", "Trước thuế"),
  tax: localize("Tax", "Impuesto", "Taxe", "Thuế"),
  total: localize("Total", "Total", "Total", "Tổng cộng"),
  method_card: localize("Card", "Tarjeta", "Carte", "Thẻ"),
  method_transfer: localize("Bank transfer", "Transferencia bancaria", "Virement bancaire", "Chuyển khoản"),
  method_other: localize("Other", "Otra", "Autre", "Khác"),
  reverse_charge: localize(
    "Reverse charge: the recipient is liable for the tax.",
    "Inversión del sujeto pasivo: el destinatario es el deudor del impuesto.",
    "Autoliquidation : la taxe est due par le preneur.",
    "Cơ chế đảo chiều thuế: bên mua có nghĩa vụ nộp thuế.",
  ),
  price: localize("Price", "Precio", "Prix", "Giá"),
  discount: localize("Discount", "Descuento", "Remise", "Giảm giá"),
  discount_coupon: localize("Discount (:code)", "Descuento (:code)", "Remise (:code)", "Giảm giá (:code)"),
  tax_number: localize("Tax number", "Número fiscal", "Numéro de TVA", "Mã số thuế"),
  payment_method: localize("Payment method", "Forma de pago", "Moyen de paiement", "Phương thức thanh toán"),
} satisfies Record<string, Translations>

/** Looks up a string of invoices. */
export const t = createTranslator(INVOICE_STRINGS)
