// What the platform's mails say. `:name` stands for a fact of the mail.
import type { Sentence } from "../core/i18n/locale"

interface MailWords {
  title: Sentence
  body: Sentence[]
  /** The button; a mail without one has nothing to be done. */
  action?: Sentence
  notes?: Sentence[]
}

const BILLING: Sentence = {
  en: "Open billing",
  es: "Abrir la facturación",
  fr: "Ouvrir la facturation",
  vi: "Mở trang thanh toán",
}

const MAILS = {
  store_ready: {
    title: {
      en: "Your store :store is open",
      es: "Su tienda :store está abierta",
      fr: "Votre boutique :store est ouverte",
      vi: "Cửa hàng :store của bạn đã mở",
    },
    body: [
      {
        en: "It is set up and answers at :root. Sign in with this address and the password you chose.",
        es: "Está lista y responde en :root. Inicie sesión con esta dirección y la contraseña que eligió.",
        fr: "Elle est prête à l'adresse :root. Connectez-vous avec cette adresse et le mot de passe choisi.",
        vi: "Cửa hàng đã sẵn sàng tại :root. Hãy đăng nhập bằng địa chỉ này và mật khẩu bạn đã chọn.",
      },
    ],
    action: { en: "Visit your store", es: "Visitar su tienda", fr: "Voir votre boutique", vi: "Vào cửa hàng" },
  },
  trial_ending: {
    title: {
      en: "Your trial of :store ends on :ends_on",
      es: "Su prueba de :store termina el :ends_on",
      fr: "L'essai de :store se termine le :ends_on",
      vi: "Thời gian dùng thử :store kết thúc ngày :ends_on",
    },
    body: [
      {
        en: "Days left: :days_left. Choose how to pay before then, and your store stays open without a break.",
        es: "Días restantes: :days_left. Elija antes cómo pagar y su tienda seguirá abierta sin interrupción.",
        fr: "Jours restants : :days_left. Choisissez d'ici là un mode de paiement et votre boutique reste ouverte.",
        vi: "Số ngày còn lại: :days_left. Hãy chọn cách thanh toán trước đó để cửa hàng hoạt động liên tục.",
      },
    ],
    action: BILLING,
  },
  payment_failed: {
    title: {
      en: "A payment for :store failed",
      es: "Ha fallado un pago de :store",
      fr: "Un paiement pour :store a échoué",
      vi: "Một khoản thanh toán cho :store không thành công",
    },
    body: [
      {
        en: "Your card was not charged :amount. Please check it or choose another one; it will be tried again.",
        es: "No se pudo cobrar :amount de su tarjeta. Revísela o elija otra; se volverá a intentar.",
        fr: "Votre carte n'a pas pu être débitée de :amount. Vérifiez-la ou choisissez-en une autre ; un nouvel essai aura lieu.",
        vi: "Không thể thu :amount từ thẻ của bạn. Hãy kiểm tra hoặc chọn thẻ khác; hệ thống sẽ thử lại.",
      },
    ],
    action: BILLING,
  },
  past_due: {
    title: {
      en: "The payment for :store is due",
      es: "El pago de :store está pendiente",
      fr: "Le paiement de :store est dû",
      vi: "Đã đến hạn thanh toán cho :store",
    },
    body: [
      {
        en: "Its paid period has ended. Unless it is paid, the store goes offline on :until.",
        es: "Su periodo pagado ha terminado. Si no se paga, la tienda dejará de estar en línea el :until.",
        fr: "La période payée est terminée. Sans paiement, la boutique sera mise hors ligne le :until.",
        vi: "Kỳ đã thanh toán kết thúc. Nếu không thanh toán, cửa hàng sẽ ngừng hoạt động vào ngày :until.",
      },
    ],
    action: BILLING,
  },
  suspended_trial: {
    title: {
      en: ":store is offline: its trial is over",
      es: ":store está fuera de línea: la prueba ha terminado",
      fr: ":store est hors ligne : l'essai est terminé",
      vi: ":store đã ngừng hoạt động: hết thời gian dùng thử",
    },
    body: [
      {
        en: "Nothing is lost. Sign in to billing, choose a plan and pay by card or bank transfer: the store opens again at once.",
        es: "No se ha perdido nada. Entre en la facturación, elija un plan y pague con tarjeta o transferencia: la tienda se abrirá al momento.",
        fr: "Rien n'est perdu. Ouvrez la facturation, choisissez un forfait et payez par carte ou virement : la boutique rouvre aussitôt.",
        vi: "Không có gì bị mất. Hãy mở trang thanh toán, chọn gói và trả bằng thẻ hoặc chuyển khoản: cửa hàng sẽ mở lại ngay.",
      },
    ],
    action: BILLING,
  },
  suspended: {
    title: {
      en: ":store is offline: a payment is missing",
      es: ":store está fuera de línea: falta un pago",
      fr: ":store est hors ligne : un paiement manque",
      vi: ":store đã ngừng hoạt động: thiếu một khoản thanh toán",
    },
    body: [
      {
        en: "Nothing is lost. Sign in to billing and pay by card or bank transfer: the store opens again at once.",
        es: "No se ha perdido nada. Entre en la facturación y pague con tarjeta o transferencia: la tienda se abrirá al momento.",
        fr: "Rien n'est perdu. Ouvrez la facturation et payez par carte ou virement : la boutique rouvre aussitôt.",
        vi: "Không có gì bị mất. Hãy mở trang thanh toán và trả bằng thẻ hoặc chuyển khoản: cửa hàng sẽ mở lại ngay.",
      },
    ],
    action: BILLING,
  },
  cancelled: {
    title: {
      en: "The subscription of :store is cancelled",
      es: "La suscripción de :store está cancelada",
      fr: "L'abonnement de :store est résilié",
      vi: "Gói đăng ký của :store đã bị hủy",
    },
    body: [
      {
        en: "The store is offline. Its data is kept until :until, and can be brought back until then.",
        es: "La tienda está fuera de línea. Sus datos se conservan hasta el :until y hasta entonces pueden recuperarse.",
        fr: "La boutique est hors ligne. Ses données sont conservées jusqu'au :until et peuvent être rétablies d'ici là.",
        vi: "Cửa hàng đã ngừng hoạt động. Dữ liệu được giữ đến ngày :until và có thể khôi phục trước ngày đó.",
      },
    ],
    action: BILLING,
  },
  purge_ahead: {
    title: {
      en: ":store will be deleted on :until",
      es: ":store se eliminará el :until",
      fr: ":store sera supprimée le :until",
      vi: ":store sẽ bị xóa vào ngày :until",
    },
    body: [
      {
        en: "Its products, orders, pages and files will then be gone for good. To keep them, choose a plan before that day.",
        es: "Sus productos, pedidos, páginas y archivos desaparecerán para siempre. Para conservarlos, elija un plan antes de ese día.",
        fr: "Ses produits, commandes, pages et fichiers disparaîtront définitivement. Pour les garder, choisissez un forfait avant ce jour.",
        vi: "Sản phẩm, đơn hàng, trang và tệp sẽ mất vĩnh viễn. Để giữ lại, hãy chọn một gói trước ngày đó.",
      },
    ],
    action: BILLING,
  },
  receipt: {
    title: {
      en: "Receipt :number",
      es: "Recibo :number",
      fr: "Reçu :number",
      vi: "Biên nhận :number",
    },
    body: [
      {
        en: "Your bank transfer of :amount for the plan :plan of :store arrived on :paid_on. Thank you.",
        es: "Su transferencia de :amount por el plan :plan de :store llegó el :paid_on. Gracias.",
        fr: "Votre virement de :amount pour le forfait :plan de :store est arrivé le :paid_on. Merci.",
        vi: "Khoản chuyển :amount cho gói :plan của :store đã nhận ngày :paid_on. Cảm ơn bạn.",
      },
    ],
    action: { en: "Print the receipt", es: "Imprimir el recibo", fr: "Imprimer le reçu", vi: "In biên nhận" },
  },
  order_rejected: {
    title: {
      en: "Your order :reference was not accepted",
      es: "Su pedido :reference no ha sido aceptado",
      fr: "Votre commande :reference n'a pas été acceptée",
      vi: "Đơn :reference của bạn không được chấp nhận",
    },
    body: [{ en: ":reason", es: ":reason", fr: ":reason", vi: ":reason" }],
    action: BILLING,
  },
  signup: {
    title: {
      en: "Confirm your address to open your store",
      es: "Confirme su dirección para abrir su tienda",
      fr: "Confirmez votre adresse pour ouvrir votre boutique",
      vi: "Xác nhận địa chỉ để mở cửa hàng của bạn",
    },
    body: [
      {
        en: "The address :host is reserved for you. Follow the link to choose a password and open the store there.",
        es: "La dirección :host está reservada para usted. Siga el enlace para elegir una contraseña y abrir allí la tienda.",
        fr: "L'adresse :host vous est réservée. Suivez le lien pour choisir un mot de passe et y ouvrir la boutique.",
        vi: "Địa chỉ :host đã được đặt trước cho bạn. Hãy mở liên kết để chọn mật khẩu và mở cửa hàng tại đó.",
      },
    ],
    action: { en: "Open my store", es: "Abrir mi tienda", fr: "Ouvrir ma boutique", vi: "Mở cửa hàng" },
    notes: [
      {
        en: "The link works for :hours hours. If you didn't request this, you can ignore this email: no store is created without a password chosen behind the link.",
        es: "El enlace es válido durante :hours horas. Si no lo ha solicitado, puede ignorar este correo: no se crea ninguna tienda sin una contraseña elegida en el enlace.",
        fr: "Le lien est valable :hours heures. Si vous n'êtes pas à l'origine de cette demande, ignorez cet e-mail : aucune boutique n'est créée sans un mot de passe choisi derrière le lien.",
        vi: "Liên kết có hiệu lực trong :hours giờ. Nếu bạn không yêu cầu, hãy bỏ qua email này: không có cửa hàng nào được tạo nếu chưa chọn mật khẩu qua liên kết.",
      },
    ],
  },
  sign_in: {
    title: { en: "Your stores", es: "Sus tiendas", fr: "Vos boutiques", vi: "Các cửa hàng của bạn" },
    body: [
      {
        en: "These stores belong to this address; sign in to each at its billing page:",
        es: "Estas tiendas pertenecen a esta dirección; inicie sesión en la página de facturación de cada una:",
        fr: "Ces boutiques appartiennent à cette adresse ; connectez-vous à la page de facturation de chacune :",
        vi: "Các cửa hàng này thuộc về địa chỉ của bạn; hãy đăng nhập tại trang thanh toán của từng cửa hàng:",
      },
      { en: ":list", es: ":list", fr: ":list", vi: ":list" },
    ],
    notes: [
      {
        en: "If you did not ask for this, there is nothing to do.",
        es: "Si no lo ha pedido usted, no tiene que hacer nada.",
        fr: "Si vous ne l'avez pas demandé, il n'y a rien à faire.",
        vi: "Nếu bạn không yêu cầu thư này thì không cần làm gì.",
      },
    ],
  },
  support_access: {
    title: {
      en: "Support is signed in at your store :store",
      es: "El soporte ha entrado en su tienda :store",
      fr: "L'assistance est connectée à votre boutique :store",
      vi: "Bộ phận hỗ trợ đã đăng nhập vào cửa hàng :store",
    },
    body: [
      {
        en: ":operator of :platform signed in at :root as your staff, for 15 minutes at most. The reason given: :reason",
        es: ":operator de :platform ha entrado en :root como su personal, durante 15 minutos como máximo. Motivo: :reason",
        fr: ":operator de :platform s'est connecté à :root comme votre équipe, pour 15 minutes au plus. Motif : :reason",
        vi: ":operator của :platform đã đăng nhập :root với tư cách nhân viên của bạn, tối đa 15 phút. Lý do: :reason",
      },
      {
        en: "If you did not ask for help, answer this mail.",
        es: "Si no pidió ayuda, responda a este correo.",
        fr: "Si vous n'avez pas demandé d'aide, répondez à ce message.",
        vi: "Nếu bạn không yêu cầu trợ giúp, hãy trả lời thư này.",
      },
    ],
  },
  domain_claimed: {
    title: {
      en: "Another store claims the domain :domain",
      es: "Otra tienda reclama el dominio :domain",
      fr: "Une autre boutique revendique le domaine :domain",
      vi: "Một cửa hàng khác yêu cầu tên miền :domain",
    },
    body: [
      {
        en: "The DNS record that verifies :domain now names another store on :platform instead of :store. Unless this changes, the domain passes to that store on :until.",
        es: "El registro DNS que verifica :domain nombra ahora otra tienda de :platform en lugar de :store. Si no cambia, el dominio pasará a esa tienda el :until.",
        fr: "L'enregistrement DNS qui vérifie :domain désigne maintenant une autre boutique de :platform à la place de :store. Sans changement, le domaine passera à cette boutique le :until.",
        vi: "Bản ghi DNS xác minh :domain hiện trỏ đến một cửa hàng khác trên :platform thay vì :store. Nếu không thay đổi, tên miền sẽ chuyển sang cửa hàng đó vào :until.",
      },
      {
        en: "To keep the domain, set the TXT record :record to :value before that day.",
        es: "Para conservar el dominio, cree antes de ese día el registro TXT :record con el valor :value.",
        fr: "Pour garder le domaine, donnez avant ce jour la valeur :value à l'enregistrement TXT :record.",
        vi: "Để giữ tên miền, hãy đặt bản ghi TXT :record thành :value trước ngày đó.",
      },
    ],
  },
  open_orders: {
    title: {
      en: "Bank-transfer orders waiting: :count",
      es: "Pedidos por transferencia en espera: :count",
      fr: "Commandes par virement en attente : :count",
      vi: "Đơn chuyển khoản đang chờ: :count",
    },
    body: [
      {
        en: "They wait to be approved or rejected:\n:list",
        es: "Esperan ser aprobados o rechazados:\n:list",
        fr: "Elles attendent d'être approuvées ou refusées :\n:list",
        vi: "Đang chờ được duyệt hoặc từ chối:\n:list",
      },
    ],
  },
  card_superseded: {
    title: {
      en: ":store has paid for two card subscriptions",
      es: ":store ha pagado dos suscripciones con tarjeta",
      fr: ":store a payé deux abonnements par carte",
      vi: ":store đã thanh toán hai gói đăng ký bằng thẻ",
    },
    body: [
      {
        en: "A second checkout was completed for the store :store (:id). The newer subscription bills it from now on, and the older one is being cancelled at the payment provider.",
        es: "Se ha completado un segundo pago para la tienda :store (:id). Desde ahora la factura la suscripción más reciente, y la anterior se está cancelando en el proveedor de pagos.",
        fr: "Un second paiement a été effectué pour la boutique :store (:id). L'abonnement le plus récent la facture désormais, et l'ancien est en cours de résiliation chez le prestataire de paiement.",
        vi: "Lần thanh toán thứ hai đã hoàn tất cho cửa hàng :store (:id). Từ nay gói đăng ký mới hơn sẽ tính phí, còn gói cũ đang được hủy tại nhà cung cấp thanh toán.",
      },
      {
        en: "Check there whether the last payment of the older subscription has to be refunded.",
        es: "Compruebe allí si hay que reembolsar el último pago de la suscripción anterior.",
        fr: "Vérifiez chez lui si le dernier paiement de l'ancien abonnement doit être remboursé.",
        vi: "Hãy kiểm tra tại đó xem có cần hoàn lại khoản thanh toán cuối cùng của gói cũ hay không.",
      },
    ],
  },
  card_orphaned: {
    title: {
      en: "A card payment for the deleted store :id",
      es: "Un pago con tarjeta para la tienda eliminada :id",
      fr: "Un paiement par carte pour la boutique supprimée :id",
      vi: "Thanh toán bằng thẻ cho cửa hàng đã xóa :id",
    },
    body: [
      {
        en: "Somebody completed a card checkout for the store :id after it was deleted. The subscription bills no store and is being cancelled at the payment provider.",
        es: "Alguien ha completado un pago con tarjeta para la tienda :id después de su eliminación. La suscripción no factura a ninguna tienda y se está cancelando en el proveedor de pagos.",
        fr: "Quelqu'un a effectué un paiement par carte pour la boutique :id après sa suppression. L'abonnement ne facture aucune boutique et est en cours de résiliation chez le prestataire de paiement.",
        vi: "Có người đã hoàn tất thanh toán bằng thẻ cho cửa hàng :id sau khi cửa hàng bị xóa. Gói đăng ký này không tính phí cho cửa hàng nào và đang được hủy tại nhà cung cấp thanh toán.",
      },
      {
        en: "Check there whether its payment has to be refunded. The checkout's reference is :id.",
        es: "Compruebe allí si hay que reembolsar su pago. La referencia del pago es :id.",
        fr: "Vérifiez chez lui si son paiement doit être remboursé. La référence du paiement est :id.",
        vi: "Hãy kiểm tra tại đó xem có cần hoàn lại khoản thanh toán hay không. Mã tham chiếu của lần thanh toán là :id.",
      },
    ],
  },
  endpoint_off: {
    title: {
      en: ":platform: webhook endpoint :endpoint was switched off",
      es: ":platform: el punto de conexión :endpoint se ha desactivado",
      fr: ":platform : le point de terminaison :endpoint a été désactivé",
      vi: ":platform: điểm nhận webhook :endpoint đã bị tắt",
    },
    body: [
      {
        en: "Webhook endpoint :endpoint (:receiver) was switched off at :at, after :failures failed deliveries in a row. Deliveries that come due from now on are closed without being sent.",
        es: "El punto de conexión :endpoint (:receiver) se desactivó el :at, tras :failures entregas fallidas seguidas. Las entregas que venzan desde ahora se cierran sin enviarse.",
        fr: "Le point de terminaison :endpoint (:receiver) a été désactivé le :at, après :failures échecs d'affilée. Les envois dus à partir de maintenant sont clos sans être faits.",
        vi: "Điểm nhận webhook :endpoint (:receiver) đã bị tắt lúc :at, sau :failures lần gửi hỏng liên tiếp. Những lần gửi đến hạn từ bây giờ sẽ được đóng mà không gửi.",
      },
      {
        en: "Once the receiver answers again, set the endpoint to active to switch it back on. What was closed meanwhile can then be sent again: one by one, or all of it with a recovery.",
        es: "Cuando el receptor vuelva a responder, active de nuevo el punto de conexión. Lo que se cerró entretanto puede reenviarse entonces: uno a uno, o todo con una recuperación.",
        fr: "Quand le destinataire répondra de nouveau, réactivez le point de terminaison. Ce qui a été clos entre-temps pourra alors être renvoyé : un par un, ou en entier par une reprise.",
        vi: "Khi bên nhận trả lời trở lại, hãy bật lại điểm nhận. Những gì đã đóng trong lúc đó có thể được gửi lại: từng cái một, hoặc tất cả bằng một lần khôi phục.",
      },
    ],
  },
} satisfies Record<string, MailWords>

export type MailKind = keyof typeof MAILS

/** The words of a mail, whatever parts it has. */
export const wordsOf = (kind: MailKind): MailWords => MAILS[kind]
