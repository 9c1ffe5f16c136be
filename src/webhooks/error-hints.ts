// Explains the errors of deliveries: the cause, and what to do about it.
import { type Locale, type Translations, translate } from "../core/i18n/locale"

/** Explanations by the beginning of an error; the first that matches applies. */
const HINTS: readonly (readonly [pattern: RegExp, hint: Translations])[] = [
  [
    /^http_3/,
    {
      en: "The receiver redirected the request. Redirects are not followed: set the endpoint's URL to the final address.",
      es: "El receptor redirigió la solicitud. Las redirecciones no se siguen: use la dirección final como URL del endpoint.",
      fr: "Le destinataire a redirigé la requête. Les redirections ne sont pas suivies : indiquez l’adresse finale comme URL de l’endpoint.",
      vi: "Bên nhận đã chuyển hướng yêu cầu. Chuyển hướng không được đi theo: hãy đặt URL của endpoint là địa chỉ cuối cùng.",
    },
  ],
  [
    /^http_40[13]$/,
    {
      en: "The receiver rejected the request. Check its authentication, and that it verifies the signature with the current secret.",
      es: "El receptor rechazó la solicitud. Revise su autenticación y que verifique la firma con el secreto actual.",
      fr: "Le destinataire a refusé la requête. Vérifiez son authentification, et qu’il contrôle la signature avec le secret actuel.",
      vi: "Bên nhận đã từ chối yêu cầu. Hãy kiểm tra xác thực và việc xác minh chữ ký bằng khóa bí mật hiện tại.",
    },
  ],
  [
    /^http_410$/,
    {
      en: "The receiver responded that it is gone, so the endpoint was disabled.",
      es: "El receptor respondió que ya no existe, por lo que el endpoint se desactivó.",
      fr: "Le destinataire a répondu qu’il n’existe plus : l’endpoint a donc été désactivé.",
      vi: "Bên nhận trả lời rằng nó không còn tồn tại, nên endpoint đã bị vô hiệu hóa.",
    },
  ],
  [
    /^http_429$/,
    {
      en: "The receiver limits its requests. The next attempt waits as long as its Retry-After header asks, at most a day.",
      es: "El receptor limita sus solicitudes. El siguiente intento espera lo que pida su cabecera Retry-After, como máximo un día.",
      fr: "Le destinataire limite ses requêtes. La prochaine tentative attend la durée de son en-tête Retry-After, au plus un jour.",
      vi: "Bên nhận giới hạn số yêu cầu. Lần thử tiếp theo chờ theo header Retry-After của bên nhận, tối đa một ngày.",
    },
  ],
  [
    /^http_5/,
    {
      en: "The receiver failed with an internal error. Check its logs.",
      es: "El receptor falló con un error propio. Revise sus registros.",
      fr: "Le destinataire a échoué avec une erreur interne. Consultez ses journaux.",
      vi: "Bên nhận gặp lỗi nội bộ. Hãy kiểm tra nhật ký của nó.",
    },
  ],
  [
    /^http_/,
    {
      en: "The receiver did not accept the request. Only a 2xx status counts as success; check the URL and the receiver's logs.",
      es: "El receptor no aceptó la solicitud. Solo un estado 2xx es un éxito; revise la URL y los registros del receptor.",
      fr: "Le destinataire n’a pas accepté la requête. Seul un statut 2xx est un succès ; vérifiez l’URL et les journaux du destinataire.",
      vi: "Bên nhận không chấp nhận yêu cầu. Chỉ trạng thái 2xx là thành công; hãy kiểm tra URL và nhật ký của bên nhận.",
    },
  ],
  [
    /^timeout$/,
    {
      en: "The receiver did not respond completely within the time limit. Respond first, and process the event afterwards.",
      es: "El receptor no respondió por completo dentro del tiempo límite. Responda primero y procese el evento después.",
      fr: "Le destinataire n’a pas répondu entièrement dans le délai. Répondez d’abord, et traitez l’événement ensuite.",
      vi: "Bên nhận không phản hồi đầy đủ trong thời gian cho phép. Hãy phản hồi trước rồi xử lý sự kiện sau.",
    },
  ],
  [
    /^unsafe_host$/,
    {
      en: "The host does not resolve to a public address, or it is a domain of a store. Nothing was sent.",
      es: "El host no se resuelve en una dirección pública o es un dominio de una tienda. No se envió nada.",
      fr: "L’hôte ne correspond pas à une adresse publique, ou c’est un domaine d’une boutique. Rien n’a été envoyé.",
      vi: "Máy chủ không phân giải đến địa chỉ công khai, hoặc là tên miền của một cửa hàng. Không có gì được gửi.",
    },
  ],
  [
    /^endpoint_disabled$/,
    {
      en: "The endpoint was inactive or disabled when the delivery was due. Re-enable it, then recover its events.",
      es: "El endpoint estaba inactivo o desactivado cuando vencía la entrega. Reactívelo y recupere sus eventos.",
      fr: "L’endpoint était inactif ou désactivé à l’échéance de l’envoi. Réactivez-le, puis récupérez ses événements.",
      vi: "Endpoint không hoạt động hoặc bị vô hiệu hóa khi lần gửi đến hạn. Hãy bật lại rồi khôi phục các sự kiện.",
    },
  ],
  [
    /^(SecretUnreadable|HeadersUnreadable)/,
    {
      en: "The endpoint's secret or headers cannot be decrypted. Rotate the secret, or set the headers again.",
      es: "El secreto o las cabeceras del endpoint no se pueden descifrar. Renueve el secreto o vuelva a definir las cabeceras.",
      fr: "Le secret ou les en-têtes de l’endpoint ne peuvent pas être déchiffrés. Renouvelez le secret, ou redéfinissez les en-têtes.",
      vi: "Không giải mã được khóa bí mật hoặc header của endpoint. Hãy đổi khóa bí mật hoặc đặt lại header.",
    },
  ],
  [
    // Stored by earlier versions with a name and a message.
    /^(dns_unavailable|NameUnanswered)/,
    {
      en: "The platform's DNS resolver did not respond, so nothing was sent. An unfinished delivery is attempted again within two minutes.",
      es: "El servidor DNS de la plataforma no respondió, así que no se envió nada. Una entrega pendiente se reintenta en un plazo de dos minutos.",
      fr: "Le résolveur DNS de la plateforme n’a pas répondu : rien n’a été envoyé. Un envoi inachevé est retenté dans les deux minutes.",
      vi: "Máy chủ DNS của nền tảng không phản hồi nên không có gì được gửi. Lần gửi chưa hoàn tất được thử lại trong vòng hai phút.",
    },
  ],
  [
    /^AttemptLost/,
    {
      en: "The platform could not finish the attempt. Retry the delivery.",
      es: "La plataforma no pudo terminar el intento. Reintente la entrega.",
      fr: "La plateforme n’a pas pu terminer la tentative. Relancez l’envoi.",
      vi: "Nền tảng không thể hoàn tất lần thử. Hãy thử gửi lại.",
    },
  ],
  [
    /connection lost|connection refused|connection reset|disconnected/i,
    {
      en: "The connection was refused or reset. Check that the receiver is running and reachable from the internet.",
      es: "La conexión se rechazó o se restableció. Compruebe que el receptor funciona y es accesible desde internet.",
      fr: "La connexion a été refusée ou réinitialisée. Vérifiez que le destinataire fonctionne et est accessible depuis internet.",
      vi: "Kết nối bị từ chối hoặc bị ngắt. Hãy kiểm tra bên nhận đang chạy và truy cập được từ internet.",
    },
  ],
  [
    /./,
    {
      en: "No connection could be made. Check that the name resolves, and that the certificate is valid, complete and issued for it.",
      es: "No se pudo conectar. Compruebe que el nombre se resuelve y que el certificado es válido, completo y emitido para él.",
      fr: "La connexion n’a pas pu être établie. Vérifiez que le nom existe, et que le certificat est valide, complet et émis pour lui.",
      vi: "Không thể kết nối. Hãy kiểm tra tên miền phân giải được và chứng chỉ hợp lệ, đầy đủ, được cấp cho tên đó.",
    },
  ],
]

/** Explains the error of a delivery or an attempt; null without an error. */
export function getErrorHint(error: string | null, locale: Locale): string | null {
  const hint = error === null ? undefined : HINTS.find(([pattern]) => pattern.test(error))?.[1]
  return hint ? translate(hint, locale) : null
}
