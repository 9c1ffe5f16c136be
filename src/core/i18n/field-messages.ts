// Translates validation errors. Clients of this ecosystem match on the English messages.
import type { FieldErrors, FieldRule } from "../http/refusal"
import { type Locale, type Translations, translate } from "./locale"

/** Characters of a field name, which the caller may choose. */
const MAX_FIELD_NAME_LENGTH = 300

const SENTENCES: Record<FieldRule, Translations> = {
  required: {
    en: "The :attribute field is required.",
    es: "El campo :attribute es obligatorio.",
    fr: "Le champ :attribute est obligatoire.",
    vi: "Trường :attribute là bắt buộc.",
  },
  string: {
    en: "The :attribute field must be a string.",
    es: "El campo :attribute debe ser una cadena de texto.",
    fr: "Le champ :attribute doit être une chaîne de caractères.",
    vi: "Trường :attribute phải là một chuỗi.",
  },
  integer: {
    en: "The :attribute field must be an integer.",
    es: "El campo :attribute debe ser un número entero.",
    fr: "Le champ :attribute doit être un entier.",
    vi: "Trường :attribute phải là một số nguyên.",
  },
  boolean: {
    en: "The :attribute field must be true or false.",
    es: "El campo :attribute debe ser verdadero o falso.",
    fr: "Le champ :attribute doit être vrai ou faux.",
    vi: "Trường :attribute phải là đúng hoặc sai.",
  },
  array: {
    en: "The :attribute field must be an array.",
    es: "El campo :attribute debe ser una lista.",
    fr: "Le champ :attribute doit être un tableau.",
    vi: "Trường :attribute phải là một mảng.",
  },
  object: {
    en: "The :attribute field must be an object.",
    es: "El campo :attribute debe ser un objeto.",
    fr: "Le champ :attribute doit être un objet.",
    vi: "Trường :attribute phải là một đối tượng.",
  },
  email: {
    en: "The :attribute field must be a valid email address.",
    es: "El campo :attribute debe ser una dirección de correo válida.",
    fr: "Le champ :attribute doit être une adresse e-mail valide.",
    vi: "Trường :attribute phải là một địa chỉ email hợp lệ.",
  },
  url: {
    en: "The :attribute field must be a valid URL.",
    es: "El campo :attribute debe ser una URL válida.",
    fr: "Le champ :attribute doit être une URL valide.",
    vi: "Trường :attribute phải là một URL hợp lệ.",
  },
  date: {
    en: "The :attribute field must be a valid date.",
    es: "El campo :attribute debe ser una fecha válida.",
    fr: "Le champ :attribute doit être une date valide.",
    vi: "Trường :attribute phải là một ngày hợp lệ.",
  },
  future: {
    en: "The :attribute field must be a date in the future.",
    es: "El campo :attribute debe ser una fecha futura.",
    fr: "Le champ :attribute doit être une date future.",
    vi: "Trường :attribute phải là một ngày trong tương lai.",
  },
  before_or_equal: {
    en: "The :attribute field must be a date before or equal to :date.",
    es: "El campo :attribute debe ser una fecha anterior o igual a :date.",
    fr: "Le champ :attribute doit être une date antérieure ou égale au :date.",
    vi: "Trường :attribute phải là một ngày trước hoặc bằng :date.",
  },
  format: {
    en: "The :attribute field format is invalid.",
    es: "El formato del campo :attribute no es válido.",
    fr: "Le format du champ :attribute est invalide.",
    vi: "Định dạng của trường :attribute không hợp lệ.",
  },
  amount: {
    en: "The :attribute field must be an amount greater than zero, such as 12 or 12.50, without more decimals than the currency has.",
    es: "El campo :attribute debe ser un importe mayor que cero, como 12 o 12.50, sin más decimales que los de la moneda.",
    fr: "Le champ :attribute doit être un montant supérieur à zéro, comme 12 ou 12.50, sans plus de décimales que la devise.",
    vi: "Trường :attribute phải là một số tiền lớn hơn 0, chẳng hạn 12 hoặc 12.50, không có nhiều chữ số thập phân hơn tiền tệ.",
  },
  subdomain: {
    en: "The :attribute field may only contain lowercase letters, digits and hyphens. It must begin and end with a letter or digit, and must not look like an encoded name (xn--…).",
    es: "El campo :attribute solo puede contener letras minúsculas, dígitos y guiones. Debe empezar y terminar con una letra o un dígito y no puede parecer un nombre codificado (xn--…).",
    fr: "Le champ :attribute ne peut contenir que des lettres minuscules, des chiffres et des tirets. Il doit commencer et finir par une lettre ou un chiffre et ne peut pas ressembler à un nom encodé (xn--…).",
    vi: "Trường :attribute chỉ được chứa chữ thường, chữ số và dấu gạch nối. Trường này phải bắt đầu và kết thúc bằng chữ hoặc số, và không được giống tên đã mã hóa (xn--…).",
  },
  cursor: {
    en: "The :attribute field must be now, a cursor that the event feed returned, or the id of an event in the feed.",
    es: "El campo :attribute debe ser now, un cursor que devolvió el flujo de eventos o el id de un evento del flujo.",
    fr: "Le champ :attribute doit être now, un curseur renvoyé par le flux d’événements ou l’id d’un événement du flux.",
    vi: "Trường :attribute phải là now, con trỏ do luồng sự kiện trả về, hoặc id của một sự kiện trong luồng.",
  },
  common_password: {
    en: "This password is too common. Choose another one.",
    es: "Esta contraseña es demasiado común. Elija otra.",
    fr: "Ce mot de passe est trop courant. Choisissez-en un autre.",
    vi: "Mật khẩu này quá phổ biến. Hãy chọn mật khẩu khác.",
  },
  max_length: {
    en: "The :attribute field must not be greater than :max characters.",
    es: "El campo :attribute no debe tener más de :max caracteres.",
    fr: "Le champ :attribute ne doit pas dépasser :max caractères.",
    vi: "Trường :attribute không được dài hơn :max ký tự.",
  },
  min_length: {
    en: "The :attribute field must be at least :min characters.",
    es: "El campo :attribute debe tener al menos :min caracteres.",
    fr: "Le champ :attribute doit contenir au moins :min caractères.",
    vi: "Trường :attribute phải có ít nhất :min ký tự.",
  },
  max_value: {
    en: "The :attribute field must not be greater than :max.",
    es: "El campo :attribute no debe ser mayor que :max.",
    fr: "Le champ :attribute ne doit pas être supérieur à :max.",
    vi: "Trường :attribute không được lớn hơn :max.",
  },
  min_value: {
    en: "The :attribute field must be at least :min.",
    es: "El campo :attribute debe ser como mínimo :min.",
    fr: "Le champ :attribute doit être au moins :min.",
    vi: "Trường :attribute phải tối thiểu là :min.",
  },
  max_items: {
    en: "The :attribute field must not have more than :max items.",
    es: "El campo :attribute no debe tener más de :max elementos.",
    fr: "Le champ :attribute ne doit pas contenir plus de :max éléments.",
    vi: "Trường :attribute không được có nhiều hơn :max phần tử.",
  },
  min_items: {
    en: "The :attribute field must have at least :min items.",
    es: "El campo :attribute debe tener al menos :min elementos.",
    fr: "Le champ :attribute doit contenir au moins :min éléments.",
    vi: "Trường :attribute phải có ít nhất :min phần tử.",
  },
  max_count: {
    en: "You can have at most :max. Remove one first.",
    es: "Puede tener como máximo :max. Elimine uno primero.",
    fr: "Vous pouvez en avoir au maximum :max. Supprimez-en un d’abord.",
    vi: "Bạn chỉ có thể có tối đa :max. Hãy xóa bớt một mục trước.",
  },
  selected: {
    en: "The selected :attribute is invalid.",
    es: "El valor seleccionado de :attribute no es válido.",
    fr: "La valeur sélectionnée pour le champ :attribute est invalide.",
    vi: "Giá trị đã chọn của :attribute không hợp lệ.",
  },
  store_scopes: {
    en: "A key that is limited to stores cannot have all of these scopes.",
    es: "Una clave limitada a tiendas no puede tener todos estos permisos.",
    fr: "Une clé limitée à des boutiques ne peut pas avoir toutes ces autorisations.",
    vi: "Khóa bị giới hạn theo cửa hàng không thể có tất cả các quyền này.",
  },
  has_backup: {
    en: "This store has no backup.",
    es: "Esta tienda no tiene ninguna copia de seguridad.",
    fr: "Cette boutique n’a aucune sauvegarde.",
    vi: "Cửa hàng này không có bản sao lưu nào.",
  },
  has_backup_id: {
    en: "This store has no backup with this ID.",
    es: "Esta tienda no tiene ninguna copia de seguridad con este ID.",
    fr: "Cette boutique n’a aucune sauvegarde avec cet identifiant.",
    vi: "Cửa hàng này không có bản sao lưu nào với ID này.",
  },
  has_backup_until: {
    en: "No backup up to this time.",
    es: "No hay ninguna copia de seguridad hasta este momento.",
    fr: "Aucune sauvegarde jusqu’à ce moment.",
    vi: "Không có bản sao lưu nào cho đến thời điểm này.",
  },
  duplicate: {
    en: "The :attribute field has a duplicate value.",
    es: "El campo :attribute tiene un valor duplicado.",
    fr: "Le champ :attribute contient une valeur en double.",
    vi: "Trường :attribute có giá trị trùng lặp.",
  },
  confirmed: {
    en: "The :attribute field confirmation does not match.",
    es: "La confirmación del campo :attribute no coincide.",
    fr: "La confirmation du champ :attribute ne correspond pas.",
    vi: "Xác nhận của trường :attribute không khớp.",
  },
  prohibited: {
    en: "The :attribute field is prohibited.",
    es: "El campo :attribute no está permitido.",
    fr: "Le champ :attribute est interdit.",
    vi: "Trường :attribute không được phép.",
  },
  https_url: {
    en: "The :attribute field must begin with https://.",
    es: "El campo :attribute debe empezar por https://.",
    fr: "Le champ :attribute doit commencer par https://.",
    vi: "Trường :attribute phải bắt đầu bằng https://.",
  },
  url_without_credentials: {
    en: "The :attribute field must not contain a user name or a password.",
    es: "El campo :attribute no debe contener un nombre de usuario ni una contraseña.",
    fr: "Le champ :attribute ne doit contenir ni nom d’utilisateur ni mot de passe.",
    vi: "Trường :attribute không được chứa tên người dùng hoặc mật khẩu.",
  },
  url_port: {
    en: "The :attribute field must use port 443 or a port from 1024.",
    es: "El campo :attribute debe usar el puerto 443 o uno a partir del 1024.",
    fr: "Le champ :attribute doit utiliser le port 443 ou un port à partir de 1024.",
    vi: "Trường :attribute phải dùng cổng 443 hoặc cổng từ 1024 trở lên.",
  },
  foreign_url: {
    en: "The host of the :attribute field belongs to the platform or to one of its stores. Use another host.",
    es: "El host del campo :attribute pertenece a la plataforma o a una de sus tiendas. Use otro host.",
    fr: "L’hôte du champ :attribute appartient à la plateforme ou à l’une de ses boutiques. Utilisez un autre hôte.",
    vi: "Máy chủ của trường :attribute thuộc về nền tảng hoặc một cửa hàng của nền tảng. Hãy dùng máy chủ khác.",
  },
  public_url: {
    en: "The host of the :attribute field must have a public address: private networks cannot be reached.",
    es: "El host del campo :attribute debe tener una dirección pública: no se puede acceder a redes privadas.",
    fr: "L’hôte du champ :attribute doit avoir une adresse publique : les réseaux privés sont inaccessibles.",
    vi: "Máy chủ của trường :attribute phải có địa chỉ công khai: không thể truy cập mạng riêng.",
  },
  host_name_url: {
    en: "The :attribute field must contain a host name, not an IP address.",
    es: "El campo :attribute debe contener un nombre de host, no una dirección IP.",
    fr: "Le champ :attribute doit contenir un nom d’hôte, pas une adresse IP.",
    vi: "Trường :attribute phải chứa tên máy chủ, không phải địa chỉ IP.",
  },
  resolvable_url: {
    en: "The host of the :attribute field does not resolve to an address.",
    es: "El host del campo :attribute no se resuelve en ninguna dirección.",
    fr: "L’hôte du champ :attribute ne correspond à aucune adresse.",
    vi: "Máy chủ của trường :attribute không phân giải được thành địa chỉ nào.",
  },
  limit_exceeded: {
    en: "The current :attribute (:usage) exceeds the plan's limit (:limit).",
    es: "El valor actual de :attribute (:usage) supera el límite del plan (:limit).",
    fr: "La valeur actuelle de :attribute (:usage) dépasse la limite du forfait (:limit).",
    vi: "Giá trị hiện tại của :attribute (:usage) vượt quá giới hạn của gói (:limit).",
  },
  taken: {
    en: "The :attribute has already been taken.",
    es: "El valor de :attribute ya está en uso.",
    fr: "La valeur du champ :attribute est déjà utilisée.",
    vi: "Giá trị của trường :attribute đã được sử dụng.",
  },
  file: {
    en: "The :attribute field must be a file.",
    es: "El campo :attribute debe ser un archivo.",
    fr: "Le champ :attribute doit être un fichier.",
    vi: "Trường :attribute phải là một tệp.",
  },
  image: {
    en: "The :attribute field must be an image.",
    es: "El campo :attribute debe ser una imagen.",
    fr: "Le champ :attribute doit être une image.",
    vi: "Trường :attribute phải là một hình ảnh.",
  },
  current_password: {
    en: "The password is incorrect.",
    es: "La contraseña es incorrecta.",
    fr: "Le mot de passe est incorrect.",
    vi: "Mật khẩu không đúng.",
  },
  json: {
    en: "The :attribute field must be a valid JSON string.",
    es: "El campo :attribute debe ser una cadena JSON válida.",
    fr: "Le champ :attribute doit être une chaîne JSON valide.",
    vi: "Trường :attribute phải là một chuỗi JSON hợp lệ.",
  },
  missing_part: {
    en: "The :attribute field must contain :part as text.",
    es: "El campo :attribute debe contener :part como texto.",
    fr: "Le champ :attribute doit contenir :part sous forme de texte.",
    vi: "Trường :attribute phải chứa :part ở dạng văn bản.",
  },
  private_key: {
    en: "The private_key in the :attribute field must be an RSA key of at least 2048 bits in PKCS#8.",
    es: "La private_key del campo :attribute debe ser una clave RSA de al menos 2048 bits en PKCS#8.",
    fr: "La private_key du champ :attribute doit être une clé RSA d’au moins 2048 bits en PKCS#8.",
    vi: "private_key trong trường :attribute phải là khóa RSA tối thiểu 2048 bit ở dạng PKCS#8.",
  },
  token_uri: {
    en: "The token_uri in the :attribute field must be a public HTTPS address.",
    es: "La token_uri del campo :attribute debe ser una dirección HTTPS pública.",
    fr: "La token_uri du champ :attribute doit être une adresse HTTPS publique.",
    vi: "token_uri trong trường :attribute phải là một địa chỉ HTTPS công khai.",
  },
  max_kilobytes: {
    en: "The :attribute field must not be greater than :max kilobytes.",
    es: "El campo :attribute no debe superar :max kilobytes.",
    fr: "Le champ :attribute ne doit pas dépasser :max kilo-octets.",
    vi: "Trường :attribute không được lớn hơn :max kilobyte.",
  },
}

/** Stands for the label of the field, which only the component that renders the field knows. */
const LABEL = "\uE000"

/** Bytes of all names and messages in one response; a surface may include them twice. */
const MAX_TOTAL_BYTES = 6_000

const encoder = new TextEncoder()

/**
 * Translates field errors: field name to messages. Messages beyond the size limit are dropped.
 * @param getName returns the name of a field in a sentence, or undefined for the default
 */
export function fieldMessages(
  errors: FieldErrors,
  locale: Locale,
  getName?: (field: string) => string | undefined,
): Record<string, string[]> {
  const messages: [string, string[]][] = []
  let bytes = 0
  for (const [name, list] of Object.entries(errors)) {
    const field = name.slice(0, MAX_FIELD_NAME_LENGTH).toWellFormed()
    const attribute = getName?.(field) ?? field.replaceAll("_", " ")
    const texts = list.map(({ rule, facts }) => translate(SENTENCES[rule], locale, { attribute, ...facts }))
    bytes += encoder.encode(JSON.stringify([field, texts])).length
    if (bytes > MAX_TOTAL_BYTES && messages.length) break
    messages.push([field, texts])
  }
  return Object.fromEntries(messages)
}

/** Translates field errors for a page. The component of a field completes its messages with `insertLabel`. */
export const labelledMessages = (errors: FieldErrors, locale: Locale): Record<string, string[]> =>
  fieldMessages(errors, locale, () => LABEL)

/** Completes the messages of a field with its label. */
export const insertLabel = (message: string, label: string): string => message.replaceAll(LABEL, toAttribute(label))

/** Turns a label into the name of the field in a sentence: without examples in parentheses, in lower case, such as "SKU". */
export const toAttribute = (label: string): string =>
  label.replace(/\s*\([^)]*\)$/, "").replace(/^\p{Lu}(?!\p{Lu})/u, (first) => first.toLowerCase())
