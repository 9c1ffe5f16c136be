// Strings of the platform's mails. `:name` is replaced with a fact of the mail. The Worker only imports the types: it
// reads the strings from assets/, where `npm run static-files` writes them.
import type { Translations } from "../core/i18n/locale"

export interface MailStrings {
  title: Translations
  body: Translations[]
  /** Label of the button; absent if the mail calls for no action. */
  action?: Translations
  notes?: Translations[]
}

/** A paragraph that only mails with a reason have. */
const REASON: Translations = {
  en: "Reason: :reason",
  es: "Motivo: :reason",
  fr: "Motif : :reason",
  vi: "Lý do: :reason",
}

/** Paragraphs about what an order is for: a new period, or the rest of the current one. A mail has one of them. */
const ORDER_TERMS: Translations[] = [
  {
    en: "The order was for :store: :plan plan, :period, :amount.",
    es: "El pedido era para :store: plan :plan, :period, :amount.",
    fr: "La commande portait sur :store : forfait :plan, :period, :amount.",
    vi: "Đơn này dành cho :store: gói :plan, :period, :amount.",
  },
  {
    en: "The order was for :store: :plan plan until :paid_until, :amount.",
    es: "El pedido era para :store: plan :plan hasta el :paid_until, :amount.",
    fr: "La commande portait sur :store : forfait :plan jusqu’au :paid_until, :amount.",
    vi: "Đơn này dành cho :store: gói :plan đến ngày :paid_until, :amount.",
  },
]

const BILLING: Translations = {
  en: "Open billing",
  es: "Abrir la facturación",
  fr: "Ouvrir la facturation",
  vi: "Mở trang thanh toán",
}

/** A mail about a change that the platform's staff made to a store. */
const changedByOperator = (body: Translations): MailStrings => ({
  title: {
    en: ":platform changed your store :store",
    es: ":platform ha modificado su tienda :store",
    fr: ":platform a modifié votre boutique :store",
    vi: ":platform đã thay đổi cửa hàng :store của bạn",
  },
  body: [body, REASON],
  action: BILLING,
})

const VIEW_ENDPOINT: Translations = {
  en: "View endpoint",
  es: "Ver el endpoint",
  fr: "Voir l’endpoint",
  vi: "Xem endpoint",
}

export const MAILS = {
  store_ready: {
    title: {
      en: "Your store :store is open",
      es: "Su tienda :store está abierta",
      fr: "Votre boutique :store est ouverte",
      vi: "Cửa hàng :store của bạn đã mở",
    },
    body: [
      {
        en: "Manage your store in its admin. Sign in with this email address and the password you chose. Customers visit your store at :root.",
        es: "Gestione su tienda en la administración. Inicie sesión con esta dirección de correo y la contraseña que eligió. Los clientes visitan su tienda en :root.",
        fr: "Gérez votre boutique dans l’administration. Connectez-vous avec cette adresse e-mail et le mot de passe choisi. Les clients visitent votre boutique à l’adresse :root.",
        vi: "Hãy quản lý cửa hàng tại trang quản trị. Đăng nhập bằng địa chỉ email này và mật khẩu bạn đã chọn. Khách hàng vào cửa hàng tại :root.",
      },
    ],
    action: {
      en: "Open the admin",
      es: "Abrir la administración",
      fr: "Ouvrir l’administration",
      vi: "Mở trang quản trị",
    },
  },
  trial_ending: {
    title: {
      en: "Your trial of :store ends on :ends_on",
      es: "Su prueba de :store termina el :ends_on",
      fr: "Votre essai de :store se termine le :ends_on",
      vi: "Thời gian dùng thử :store kết thúc ngày :ends_on",
    },
    body: [
      {
        en: "Days left: :days_left. Choose a payment method before then to keep your store online.",
        es: "Días restantes: :days_left. Elija antes un método de pago para que su tienda siga en línea.",
        fr: "Jours restants : :days_left. Choisissez d’ici là un moyen de paiement pour que votre boutique reste en ligne.",
        vi: "Số ngày còn lại: :days_left. Hãy chọn phương thức thanh toán trước đó để cửa hàng tiếp tục hoạt động.",
      },
    ],
    action: BILLING,
  },
  trial_ending_card: {
    title: {
      en: "Your trial of :store ends on :ends_on",
      es: "Su prueba de :store termina el :ends_on",
      fr: "Votre essai de :store se termine le :ends_on",
      vi: "Thời gian dùng thử :store kết thúc ngày :ends_on",
    },
    body: [
      {
        en: "Days left: :days_left. Your card will be charged for the first time on :ends_on. You don't have to do anything.",
        es: "Días restantes: :days_left. El primer cargo en su tarjeta se hará el :ends_on. No tiene que hacer nada.",
        fr: "Jours restants : :days_left. Votre carte sera débitée pour la première fois le :ends_on. Vous n’avez rien à faire.",
        vi: "Số ngày còn lại: :days_left. Thẻ của bạn sẽ bị trừ tiền lần đầu vào ngày :ends_on. Bạn không cần làm gì thêm.",
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
        en: "We couldn't charge :amount to your card. Check the card or use another one. We'll try again.",
        es: "No hemos podido cobrar :amount en su tarjeta. Revísela o use otra. Volveremos a intentarlo.",
        fr: "Nous n’avons pas pu débiter :amount de votre carte. Vérifiez-la ou utilisez-en une autre. Nous réessaierons.",
        vi: "Chúng tôi không thể thu :amount từ thẻ của bạn. Hãy kiểm tra thẻ hoặc dùng thẻ khác. Chúng tôi sẽ thử lại.",
      },
    ],
    action: BILLING,
  },
  past_due: {
    title: {
      en: "Payment for :store is overdue",
      es: "El pago de :store está vencido",
      fr: "Le paiement de :store est en retard",
      vi: "Thanh toán cho :store đã quá hạn",
    },
    body: [
      {
        en: "The paid period has ended. If we don't receive a payment, the store goes offline on :until.",
        es: "El periodo pagado ha terminado. Si no recibimos el pago, la tienda quedará fuera de línea el :until.",
        fr: "La période payée est terminée. Sans paiement de votre part, la boutique sera mise hors ligne le :until.",
        vi: "Kỳ đã thanh toán đã kết thúc. Nếu chúng tôi không nhận được thanh toán, cửa hàng sẽ ngừng hoạt động vào ngày :until.",
      },
    ],
    action: BILLING,
  },
  suspended_trial: {
    title: {
      en: ":store is offline: the trial has ended",
      es: ":store está fuera de línea: la prueba ha terminado",
      fr: ":store est hors ligne : l’essai est terminé",
      vi: ":store đã ngừng hoạt động: đã hết thời gian dùng thử",
    },
    body: [
      {
        en: "Your data is safe. Open billing, choose a plan and pay by card or bank transfer to bring your store back online.",
        es: "Sus datos están a salvo. Abra la facturación, elija un plan y pague con tarjeta o transferencia para volver a poner la tienda en línea.",
        fr: "Vos données sont en sécurité. Ouvrez la facturation, choisissez un forfait et payez par carte ou virement pour remettre votre boutique en ligne.",
        vi: "Dữ liệu của bạn vẫn an toàn. Hãy mở trang thanh toán, chọn gói và trả bằng thẻ hoặc chuyển khoản để cửa hàng hoạt động trở lại.",
      },
    ],
    action: BILLING,
  },
  suspended: {
    title: {
      en: ":store is offline: payment overdue",
      es: ":store está fuera de línea: pago vencido",
      fr: ":store est hors ligne : paiement en retard",
      vi: ":store đã ngừng hoạt động: quá hạn thanh toán",
    },
    body: [
      {
        en: "Your data is safe. Open billing and pay by card or bank transfer to bring your store back online.",
        es: "Sus datos están a salvo. Abra la facturación y pague con tarjeta o transferencia para volver a poner la tienda en línea.",
        fr: "Vos données sont en sécurité. Ouvrez la facturation et payez par carte ou virement pour remettre votre boutique en ligne.",
        vi: "Dữ liệu của bạn vẫn an toàn. Hãy mở trang thanh toán và trả bằng thẻ hoặc chuyển khoản để cửa hàng hoạt động trở lại.",
      },
    ],
    action: BILLING,
  },
  cancelled: {
    title: {
      en: "Your subscription for :store is cancelled",
      es: "Su suscripción de :store está cancelada",
      fr: "Votre abonnement pour :store est résilié",
      vi: "Gói đăng ký của :store đã bị hủy",
    },
    body: [
      {
        en: "The store is offline. We keep its data until :until; you can restore the store until then.",
        es: "La tienda está fuera de línea. Conservamos sus datos hasta el :until; hasta entonces puede recuperarla.",
        fr: "La boutique est hors ligne. Ses données sont conservées jusqu’au :until ; vous pouvez la rétablir d’ici là.",
        vi: "Cửa hàng đã ngừng hoạt động. Dữ liệu được lưu đến ngày :until; bạn có thể khôi phục cửa hàng trước ngày đó.",
      },
      REASON,
    ],
    action: BILLING,
  },
  cancel_scheduled: {
    title: {
      en: "Your subscription for :store ends on :until",
      es: "Su suscripción de :store termina el :until",
      fr: "Votre abonnement pour :store prend fin le :until",
      vi: "Gói đăng ký của :store kết thúc ngày :until",
    },
    body: [
      {
        en: "The store stays online until then. To keep it, open billing and withdraw the cancellation.",
        es: "Hasta entonces la tienda sigue en línea. Para conservarla, abra la facturación y retire la cancelación.",
        fr: "La boutique reste en ligne jusque-là. Pour la conserver, ouvrez la facturation et annulez la résiliation.",
        vi: "Cửa hàng vẫn hoạt động đến ngày đó. Để giữ lại, hãy mở trang thanh toán và rút lại yêu cầu hủy.",
      },
      REASON,
    ],
    action: BILLING,
  },
  plan_changed: {
    title: {
      en: ":store is now on the :plan plan",
      es: ":store tiene ahora el plan :plan",
      fr: ":store a désormais le forfait :plan",
      vi: ":store hiện dùng gói :plan",
    },
    body: [
      {
        en: "The new plan and its limits apply now. You can see them on your billing page.",
        es: "El plan nuevo y sus límites ya se aplican. Puede consultarlos en su página de facturación.",
        fr: "Le nouveau forfait et ses limites s’appliquent dès maintenant. Vous les trouverez sur votre page de facturation.",
        vi: "Gói mới và các giới hạn của gói có hiệu lực ngay. Bạn có thể xem chúng trên trang thanh toán.",
      },
    ],
    action: BILLING,
  },
  paid_plan_scheduled: {
    title: {
      en: ":store changes to the :plan plan on :until",
      es: ":store cambia al plan :plan el :until",
      fr: ":store passe au forfait :plan le :until",
      vi: ":store chuyển sang gói :plan vào ngày :until",
    },
    body: [
      {
        en: "Until then, your current plan stays as it is. The period that begins then is paid.",
        es: "Hasta entonces, su plan actual no cambia. El periodo que empieza entonces ya está pagado.",
        fr: "Votre forfait actuel reste inchangé jusque-là. La période qui commence alors est déjà payée.",
        vi: "Đến ngày đó, gói hiện tại của bạn không thay đổi. Kỳ bắt đầu vào ngày đó đã được thanh toán.",
      },
    ],
    action: BILLING,
  },
  plan_change_scheduled: {
    title: {
      en: ":store changes to the :plan plan on :until",
      es: ":store cambia al plan :plan el :until",
      fr: ":store passe au forfait :plan le :until",
      vi: ":store chuyển sang gói :plan vào ngày :until",
    },
    body: [
      {
        en: "Until then, your current plan stays as it is. To keep it, open billing and withdraw the change.",
        es: "Hasta entonces, su plan actual no cambia. Para conservarlo, abra la facturación y retire el cambio.",
        fr: "Votre forfait actuel reste inchangé jusque-là. Pour le conserver, ouvrez la facturation et annulez le changement.",
        vi: "Đến ngày đó, gói hiện tại của bạn không thay đổi. Để giữ gói, hãy mở trang thanh toán và rút lại yêu cầu đổi.",
      },
    ],
    action: BILLING,
  },
  suspended_by_operator: {
    title: {
      en: ":store was closed by :platform",
      es: ":platform ha cerrado :store",
      fr: ":store a été fermée par :platform",
      vi: ":platform đã đóng :store",
    },
    body: [
      {
        en: "Visitors can't see the store. Your data and your subscription stay as they are.",
        es: "Los visitantes no pueden ver la tienda. Sus datos y su suscripción no cambian.",
        fr: "Les visiteurs ne voient plus la boutique. Vos données et votre abonnement restent inchangés.",
        vi: "Khách không xem được cửa hàng. Dữ liệu và gói đăng ký của bạn không thay đổi.",
      },
      REASON,
      {
        en: "To have it reopened, write to :reply_to.",
        es: "Para que se reabra, escriba a :reply_to.",
        fr: "Pour la faire rouvrir, écrivez à :reply_to.",
        vi: "Để mở lại, hãy viết tới :reply_to.",
      },
    ],
    action: BILLING,
  },
  resumed_by_operator: {
    title: {
      en: ":store is online again",
      es: ":store vuelve a estar en línea",
      fr: ":store est de nouveau en ligne",
      vi: ":store đã hoạt động trở lại",
    },
    body: [
      {
        en: ":platform has reopened your store at :root.",
        es: ":platform ha reabierto su tienda en :root.",
        fr: ":platform a rouvert votre boutique à l’adresse :root.",
        vi: ":platform đã mở lại cửa hàng của bạn tại :root.",
      },
      REASON,
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
        en: "Its products, orders, pages and files will be permanently deleted. To keep them, choose a plan before that date.",
        es: "Sus productos, pedidos, páginas y archivos se eliminarán de forma permanente. Para conservarlos, elija un plan antes de esa fecha.",
        fr: "Ses produits, commandes, pages et fichiers seront définitivement supprimés. Pour les conserver, choisissez un forfait avant cette date.",
        vi: "Sản phẩm, đơn hàng, trang và tệp sẽ bị xóa vĩnh viễn. Để giữ lại, hãy chọn một gói trước ngày đó.",
      },
    ],
    action: BILLING,
  },
  receipt: {
    title: { en: "Invoice :number", es: "Factura :number", fr: "Facture :number", vi: "Hóa đơn :number" },
    body: [
      {
        en: "We received your payment of :amount for :store on :paid_on. Thank you.",
        es: "Hemos recibido su pago de :amount por :store el :paid_on. Gracias.",
        fr: "Nous avons reçu votre paiement de :amount pour :store le :paid_on. Merci.",
        vi: "Chúng tôi đã nhận khoản thanh toán :amount cho :store vào ngày :paid_on. Cảm ơn bạn.",
      },
    ],
    action: { en: "View invoice", es: "Ver factura", fr: "Voir la facture", vi: "Xem hóa đơn" },
  },
  credit_note: {
    title: {
      en: "Credit note :number",
      es: "Factura rectificativa :number",
      fr: "Avoir :number",
      vi: "Hóa đơn điều chỉnh giảm :number",
    },
    body: [
      {
        en: "We have credited :amount for the invoice :invoice of :store.",
        es: "Hemos abonado :amount de la factura :invoice de :store.",
        fr: "Nous avons crédité :amount au titre de la facture :invoice de :store.",
        vi: "Chúng tôi đã ghi có :amount cho hóa đơn :invoice của :store.",
      },
      REASON,
    ],
    action: {
      en: "View credit note",
      es: "Ver factura rectificativa",
      fr: "Voir l’avoir",
      vi: "Xem hóa đơn điều chỉnh",
    },
  },
  order_paid_by_card: {
    title: {
      en: "Your order :reference is closed: paid by card",
      es: "Su pedido :reference está cerrado: pagado con tarjeta",
      fr: "Votre commande :reference est close : payée par carte",
      vi: "Đơn :reference của bạn đã đóng: đã trả bằng thẻ",
    },
    body: [
      {
        en: "You paid for :store by card. Please don't make the bank transfer.",
        es: "Ha pagado con tarjeta por :store. No haga la transferencia.",
        fr: "Vous avez payé par carte pour :store. N’effectuez pas le virement.",
        vi: "Bạn đã thanh toán cho :store bằng thẻ. Vui lòng không chuyển khoản nữa.",
      },
      ...ORDER_TERMS,
    ],
    action: BILLING,
  },
  order_rejected: {
    title: {
      en: "Your order :reference was rejected",
      es: "Su pedido :reference ha sido rechazado",
      fr: "Votre commande :reference a été refusée",
      vi: "Đơn :reference của bạn đã bị từ chối",
    },
    body: [...ORDER_TERMS, REASON],
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
        en: "We've reserved :host for you. Follow the link to choose a password and open your store.",
        es: "Hemos reservado :host para usted. Siga el enlace para elegir una contraseña y abrir su tienda.",
        fr: "Nous avons réservé :host pour vous. Suivez le lien pour choisir un mot de passe et ouvrir votre boutique.",
        vi: "Chúng tôi đã giữ :host cho bạn. Hãy mở liên kết để chọn mật khẩu và mở cửa hàng.",
      },
    ],
    action: { en: "Open my store", es: "Abrir mi tienda", fr: "Ouvrir ma boutique", vi: "Mở cửa hàng" },
    notes: [
      {
        en: "The link expires after :hours hours. If you didn't request this, ignore this email: no store is created until a password is chosen with the link.",
        es: "El enlace caduca a las :hours horas. Si no lo ha solicitado, ignore este correo: no se creará ninguna tienda hasta que se elija una contraseña con el enlace.",
        fr: "Le lien expire au bout de :hours heures. Si vous n’êtes pas à l’origine de cette demande, ignorez cet e-mail : aucune boutique n’est créée tant qu’un mot de passe n’a pas été choisi via le lien.",
        vi: "Liên kết hết hạn sau :hours giờ. Nếu bạn không yêu cầu, hãy bỏ qua email này: cửa hàng chỉ được tạo khi mật khẩu được chọn qua liên kết.",
      },
    ],
  },
  export_ready: {
    title: {
      en: "The export of :store is ready",
      es: "La exportación de :store está lista",
      fr: "L’export de :store est prêt",
      vi: "Bản xuất dữ liệu của :store đã sẵn sàng",
    },
    body: [
      {
        en: "The archive contains everything in your shop: products, orders, customers, texts and files. Keep it safe, because it contains your customers' personal data.",
        es: "El archivo contiene todo lo que hay en su tienda: productos, pedidos, clientes, textos y archivos. Guárdelo en un lugar seguro, porque contiene los datos personales de sus clientes.",
        fr: "L’archive contient tout ce qui se trouve dans votre boutique : produits, commandes, clients, textes et fichiers. Conservez-la en lieu sûr, car elle contient les données personnelles de vos clients.",
        vi: "Tệp nén chứa mọi thứ trong cửa hàng của bạn: sản phẩm, đơn hàng, khách hàng, bài viết và tệp. Hãy cất giữ an toàn vì nó chứa dữ liệu cá nhân của khách hàng.",
      },
    ],
    action: {
      en: "Download the archive",
      es: "Descargar el archivo",
      fr: "Télécharger l’archive",
      vi: "Tải tệp nén xuống",
    },
    notes: [
      {
        en: "The link works for 24 hours, for everyone who has it. Don't forward this email.",
        es: "El enlace funciona durante 24 horas para cualquiera que lo tenga. No reenvíe este correo.",
        fr: "Le lien fonctionne pendant 24 heures pour toute personne qui le possède. Ne transférez pas cet e-mail.",
        vi: "Liên kết có hiệu lực trong 24 giờ với bất kỳ ai có nó. Đừng chuyển tiếp email này.",
      },
    ],
  },
  operator_invitation: {
    title: {
      en: "You've been invited to the :platform console",
      es: "Le han invitado a la consola de :platform",
      fr: "Vous êtes invité à rejoindre la console de :platform",
      vi: "Bạn được mời vào bảng điều khiển của :platform",
    },
    body: [
      {
        en: "Follow the link to choose your name and password. Your role will be :role.",
        es: "Siga el enlace para elegir su nombre y su contraseña. Su función será :role.",
        fr: "Suivez le lien pour choisir votre nom et votre mot de passe. Votre rôle sera :role.",
        vi: "Hãy mở liên kết để chọn tên và mật khẩu. Vai trò của bạn sẽ là :role.",
      },
    ],
    action: {
      en: "Accept invitation",
      es: "Aceptar la invitación",
      fr: "Accepter l’invitation",
      vi: "Chấp nhận lời mời",
    },
    notes: [
      {
        en: "The link works once and expires after 72 hours. If you didn't expect it, ignore this email.",
        es: "El enlace funciona una sola vez y caduca a las 72 horas. Si no lo esperaba, ignore este correo.",
        fr: "Le lien ne fonctionne qu’une fois et expire au bout de 72 heures. Si vous ne l’attendiez pas, ignorez cet e-mail.",
        vi: "Liên kết chỉ dùng được một lần và hết hạn sau 72 giờ. Nếu bạn không chờ email này, hãy bỏ qua.",
      },
    ],
  },
  sign_in: {
    title: { en: "Your stores", es: "Sus tiendas", fr: "Vos boutiques", vi: "Các cửa hàng của bạn" },
    body: [
      {
        en: "These stores belong to this email address. Sign in on each store's billing page:",
        es: "Estas tiendas pertenecen a esta dirección de correo. Inicie sesión en la página de facturación de cada una:",
        fr: "Ces boutiques sont liées à cette adresse e-mail. Connectez-vous sur la page de facturation de chacune :",
        vi: "Các cửa hàng sau thuộc về địa chỉ email này. Hãy đăng nhập tại trang thanh toán của từng cửa hàng:",
      },
      { en: ":list", es: ":list", fr: ":list", vi: ":list" },
    ],
    notes: [
      {
        en: "If you didn't request this, you can ignore this email.",
        es: "Si no lo ha solicitado, puede ignorar este correo.",
        fr: "Si vous n’êtes pas à l’origine de cette demande, vous pouvez ignorer cet e-mail.",
        vi: "Nếu bạn không yêu cầu, bạn có thể bỏ qua email này.",
      },
    ],
  },
  support_access: {
    title: {
      en: "Support signed in to your store :store",
      es: "El soporte ha accedido a su tienda :store",
      fr: "L’assistance s’est connectée à votre boutique :store",
      vi: "Bộ phận hỗ trợ đã đăng nhập vào cửa hàng :store của bạn",
    },
    body: [
      {
        en: ":operator of :platform signed in to :root as a member of your staff, for up to 15 minutes. Reason: :reason",
        es: ":operator de :platform ha accedido a :root como miembro de su personal, durante 15 minutos como máximo. Motivo: :reason",
        fr: ":operator de :platform s’est connecté à :root en tant que membre de votre personnel, pour 15 minutes au maximum. Motif : :reason",
        vi: ":operator của :platform đã đăng nhập vào :root với tư cách nhân viên của bạn, tối đa 15 phút. Lý do: :reason",
      },
      {
        en: "If you didn't ask for help, write to :reply_to.",
        es: "Si no pidió ayuda, escriba a :reply_to.",
        fr: "Si vous n’avez pas demandé d’aide, écrivez à :reply_to.",
        vi: "Nếu bạn không yêu cầu trợ giúp, hãy viết tới :reply_to.",
      },
    ],
  },
  domain_claimed: {
    title: {
      en: "Another store claims the domain :domain",
      es: "Otra tienda reclama el dominio :domain",
      fr: "Une autre boutique revendique le domaine :domain",
      vi: "Một cửa hàng khác yêu cầu nhận tên miền :domain",
    },
    body: [
      {
        en: "The DNS record that verifies :domain now points to another store on :platform instead of :store. If this doesn't change, the domain moves to that store on :until.",
        es: "El registro DNS que verifica :domain apunta ahora a otra tienda de :platform en lugar de :store. Si esto no cambia, el dominio pasará a esa tienda el :until.",
        fr: "L’enregistrement DNS qui vérifie :domain désigne désormais une autre boutique de :platform au lieu de :store. Sans changement, le domaine sera transféré à cette boutique le :until.",
        vi: "Bản ghi DNS xác minh :domain hiện trỏ đến một cửa hàng khác trên :platform thay vì :store. Nếu không thay đổi, tên miền sẽ chuyển sang cửa hàng đó vào :until.",
      },
      {
        en: "To keep the domain, set the TXT record :record to :value before that date.",
        es: "Para conservar el dominio, configure antes de esa fecha el registro TXT :record con el valor :value.",
        fr: "Pour conserver le domaine, donnez avant cette date la valeur :value à l’enregistrement TXT :record.",
        vi: "Để giữ tên miền, hãy đặt bản ghi TXT :record thành :value trước ngày đó.",
      },
    ],
  },
  open_orders: {
    title: {
      en: "Bank transfer orders awaiting approval: :count",
      es: "Pedidos por transferencia pendientes de aprobación: :count",
      fr: "Commandes par virement en attente d’approbation : :count",
      vi: "Đơn chuyển khoản đang chờ duyệt: :count",
    },
    body: [
      {
        en: "Approve or reject these orders:\n:list",
        es: "Apruebe o rechace estos pedidos:\n:list",
        fr: "Approuvez ou refusez ces commandes :\n:list",
        vi: "Hãy duyệt hoặc từ chối các đơn sau:\n:list",
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
        en: "A second checkout was completed for the store :store (:id). The store is now billed through the newer subscription, and the older one is being cancelled at the payment provider.",
        es: "Se ha completado un segundo pago para la tienda :store (:id). La tienda se factura ahora con la suscripción más reciente, y la anterior se está cancelando en el proveedor de pagos.",
        fr: "Un second paiement a été effectué pour la boutique :store (:id). La boutique est désormais facturée par l’abonnement le plus récent, et l’ancien est en cours de résiliation chez le prestataire de paiement.",
        vi: "Lần thanh toán thứ hai đã hoàn tất cho cửa hàng :store (:id). Từ nay cửa hàng được tính phí theo gói đăng ký mới hơn, còn gói đăng ký cũ đang được hủy tại nhà cung cấp thanh toán.",
      },
      {
        en: "Check at the payment provider whether the last payment of the older subscription should be refunded.",
        es: "Compruebe en el proveedor de pagos si hay que reembolsar el último pago de la suscripción anterior.",
        fr: "Vérifiez chez le prestataire de paiement si le dernier paiement de l’ancien abonnement doit être remboursé.",
        vi: "Hãy kiểm tra tại nhà cung cấp thanh toán xem có cần hoàn lại khoản thanh toán cuối cùng của gói đăng ký cũ hay không.",
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
        en: "A card checkout was completed for the store :id after the store was deleted. The subscription is not linked to any store and is being cancelled at the payment provider.",
        es: "Se ha completado un pago con tarjeta para la tienda :id después de su eliminación. La suscripción no está vinculada a ninguna tienda y se está cancelando en el proveedor de pagos.",
        fr: "Un paiement par carte a été effectué pour la boutique :id après sa suppression. L’abonnement n’est lié à aucune boutique et est en cours de résiliation chez le prestataire de paiement.",
        vi: "Một lần thanh toán bằng thẻ đã hoàn tất cho cửa hàng :id sau khi cửa hàng bị xóa. Gói đăng ký này không gắn với cửa hàng nào và đang được hủy tại nhà cung cấp thanh toán.",
      },
      {
        en: "Check at the payment provider whether the payment should be refunded. The checkout's reference is :id.",
        es: "Compruebe en el proveedor de pagos si hay que reembolsar el pago. La referencia del pago es :id.",
        fr: "Vérifiez chez le prestataire de paiement si le paiement doit être remboursé. La référence du paiement est :id.",
        vi: "Hãy kiểm tra tại nhà cung cấp thanh toán xem có cần hoàn lại khoản thanh toán hay không. Mã tham chiếu của lần thanh toán là :id.",
      },
    ],
  },
  endpoint_off: {
    title: {
      en: ":platform: webhook endpoint :endpoint was disabled",
      es: ":platform: el endpoint de webhook :endpoint se ha desactivado",
      fr: ":platform : l’endpoint de webhook :endpoint a été désactivé",
      vi: ":platform: endpoint webhook :endpoint đã bị vô hiệu hóa",
    },
    body: [
      {
        en: "Webhook endpoint :endpoint (:receiver) was disabled at :at after :failures consecutive failures. While it is disabled, deliveries that become due are closed without being sent.",
        es: "El endpoint de webhook :endpoint (:receiver) se desactivó el :at tras :failures fallos consecutivos. Mientras esté desactivado, las entregas que venzan se cierran sin enviarse.",
        fr: "L’endpoint de webhook :endpoint (:receiver) a été désactivé le :at après :failures échecs consécutifs. Tant qu’il est désactivé, les envois arrivés à échéance sont clos sans être effectués.",
        vi: "Endpoint webhook :endpoint (:receiver) đã bị vô hiệu hóa lúc :at sau :failures lần thất bại liên tiếp. Trong thời gian đó, các lượt gửi đến hạn sẽ được đóng mà không gửi.",
      },
      {
        en: "Once the receiver responds again, set the endpoint to active to re-enable it. You can then resend the closed deliveries one by one, or all of them with a recovery.",
        es: "Cuando el receptor vuelva a responder, active de nuevo el endpoint. Después podrá reenviar las entregas cerradas una por una, o todas con una recuperación.",
        fr: "Quand le destinataire répondra de nouveau, réactivez l’endpoint. Vous pourrez alors renvoyer les envois clos un par un, ou tous avec une récupération.",
        vi: "Khi bên nhận phản hồi trở lại, hãy kích hoạt lại endpoint. Sau đó bạn có thể gửi lại từng lượt gửi đã đóng, hoặc gửi lại tất cả bằng một lượt khôi phục.",
      },
    ],
  },
  endpoint_gone: {
    title: {
      en: ":platform: webhook endpoint :endpoint was disabled",
      es: ":platform: el endpoint de webhook :endpoint se ha desactivado",
      fr: ":platform : l’endpoint de webhook :endpoint a été désactivé",
      vi: ":platform: endpoint webhook :endpoint đã bị vô hiệu hóa",
    },
    body: [
      {
        en: "The receiver of webhook endpoint :endpoint (:receiver) responded with 410 Gone at :at, so the endpoint was disabled. While it is disabled, deliveries that become due are closed without being sent.",
        es: "El receptor del endpoint de webhook :endpoint (:receiver) respondió 410 Gone el :at, por lo que el endpoint se desactivó. Mientras esté desactivado, las entregas que venzan se cierran sin enviarse.",
        fr: "Le destinataire de l’endpoint de webhook :endpoint (:receiver) a répondu 410 Gone le :at : l’endpoint a donc été désactivé. Tant qu’il est désactivé, les envois arrivés à échéance sont clos sans être effectués.",
        vi: "Bên nhận của endpoint webhook :endpoint (:receiver) đã trả lời 410 Gone lúc :at, nên endpoint đã bị vô hiệu hóa. Trong thời gian đó, các lượt gửi đến hạn sẽ được đóng mà không gửi.",
      },
      {
        en: "Delete the endpoint if it is no longer needed. Otherwise set it to active once its receiver is back.",
        es: "Elimine el endpoint si ya no hace falta. Si no, vuelva a activarlo cuando el receptor esté disponible.",
        fr: "Supprimez l’endpoint s’il n’est plus utile. Sinon, réactivez-le quand le destinataire sera de retour.",
        vi: "Hãy xóa endpoint nếu không cần nữa. Nếu vẫn cần, hãy kích hoạt lại khi bên nhận hoạt động trở lại.",
      },
    ],
  },
  store_endpoint_off: {
    title: {
      en: ":store: a webhook endpoint was disabled",
      es: ":store: se ha desactivado un endpoint de webhook",
      fr: ":store : un endpoint de webhook a été désactivé",
      vi: ":store: một endpoint webhook đã bị vô hiệu hóa",
    },
    body: [
      {
        en: "The webhook endpoint :receiver of your store was disabled at :at after :failures consecutive failures. It no longer receives events.",
        es: "El endpoint de webhook :receiver de su tienda se desactivó el :at tras :failures fallos consecutivos. Ya no recibe eventos.",
        fr: "L’endpoint de webhook :receiver de votre boutique a été désactivé le :at après :failures échecs consécutifs. Il ne reçoit plus d’événements.",
        vi: "Endpoint webhook :receiver của cửa hàng đã bị vô hiệu hóa lúc :at sau :failures lần thất bại liên tiếp. Endpoint không còn nhận sự kiện.",
      },
      {
        en: "Once its receiver responds again, turn it on. You can then retry the deliveries that failed.",
        es: "Cuando el receptor vuelva a responder, actívelo de nuevo. Después podrá reintentar las entregas fallidas.",
        fr: "Quand son destinataire répondra de nouveau, réactivez-le. Vous pourrez alors relancer les envois échoués.",
        vi: "Khi bên nhận phản hồi trở lại, hãy bật lại endpoint. Sau đó bạn có thể gửi lại các lượt gửi thất bại.",
      },
    ],
    action: VIEW_ENDPOINT,
  },
  store_endpoint_gone: {
    title: {
      en: ":store: a webhook endpoint was disabled",
      es: ":store: se ha desactivado un endpoint de webhook",
      fr: ":store : un endpoint de webhook a été désactivé",
      vi: ":store: một endpoint webhook đã bị vô hiệu hóa",
    },
    body: [
      {
        en: "The receiver of your store's webhook endpoint :receiver responded with 410 Gone at :at, so the endpoint was disabled. Delete it if it is no longer needed, or turn it on once its receiver is back.",
        es: "El receptor del endpoint de webhook :receiver de su tienda respondió 410 Gone el :at, por lo que el endpoint se desactivó. Elimínelo si ya no hace falta, o actívelo de nuevo cuando el receptor esté disponible.",
        fr: "Le destinataire de l’endpoint de webhook :receiver de votre boutique a répondu 410 Gone le :at : l’endpoint a donc été désactivé. Supprimez-le s’il n’est plus utile, ou réactivez-le quand le destinataire sera de retour.",
        vi: "Bên nhận của endpoint webhook :receiver của cửa hàng đã trả lời 410 Gone lúc :at, nên endpoint đã bị vô hiệu hóa. Hãy xóa nếu không cần nữa, hoặc bật lại khi bên nhận hoạt động trở lại.",
      },
    ],
    action: VIEW_ENDPOINT,
  },
  alert_firing: {
    title: {
      en: ":platform: alert :alert",
      es: ":platform: alerta :alert",
      fr: ":platform : alerte :alert",
      vi: ":platform: cảnh báo :alert",
    },
    body: [
      { en: ":sentence", es: ":sentence", fr: ":sentence", vi: ":sentence" },
      {
        en: "The alert has been firing since :since. You will get another email when it recovers.",
        es: "La alerta está activa desde :since. Recibirá otro correo cuando se resuelva.",
        fr: "L’alerte est active depuis :since. Vous recevrez un autre e-mail quand elle sera levée.",
        vi: "Cảnh báo bắt đầu lúc :since. Bạn sẽ nhận được một email khác khi sự cố kết thúc.",
      },
      {
        en: "What to do: :runbook in the platform's repository.",
        es: "Qué hacer: :runbook en el repositorio de la plataforma.",
        fr: "Que faire : :runbook dans le dépôt de la plateforme.",
        vi: "Cách xử lý: :runbook trong kho mã nguồn của nền tảng.",
      },
    ],
    action: {
      en: "Open the system page",
      es: "Abrir la página del sistema",
      fr: "Ouvrir la page du système",
      vi: "Mở trang hệ thống",
    },
  },
  alert_recovered: {
    title: {
      en: ":platform: alert :alert recovered",
      es: ":platform: alerta :alert resuelta",
      fr: ":platform : alerte :alert levée",
      vi: ":platform: cảnh báo :alert đã kết thúc",
    },
    body: [
      {
        en: "The incident lasted from :since to :at.",
        es: "La incidencia duró de :since a :at.",
        fr: "L’incident a duré de :since à :at.",
        vi: "Sự cố kéo dài từ :since đến :at.",
      },
    ],
    action: {
      en: "Open the system page",
      es: "Abrir la página del sistema",
      fr: "Ouvrir la page du système",
      vi: "Mở trang hệ thống",
    },
  },
  operator_plan_assigned: changedByOperator({
    en: "Your store has a new subscription to the :plan plan. Its dates are on your billing page.",
    es: "Su tienda tiene una suscripción nueva al plan :plan. Sus fechas están en su página de facturación.",
    fr: "Votre boutique a un nouvel abonnement au forfait :plan. Ses dates figurent sur votre page de facturation.",
    vi: "Cửa hàng của bạn có đăng ký mới với gói :plan. Các ngày được ghi trên trang thanh toán.",
  }),
  operator_plan_changed: changedByOperator({
    en: "Your store is now on the :plan plan. Its limits are on your billing page.",
    es: "Su tienda tiene ahora el plan :plan. Sus límites están en su página de facturación.",
    fr: "Votre boutique a désormais le forfait :plan. Ses limites figurent sur votre page de facturation.",
    vi: "Cửa hàng của bạn hiện dùng gói :plan. Các giới hạn của gói được ghi trên trang thanh toán.",
  }),
  operator_terms_updated: changedByOperator({
    en: "Your store now has the current terms of its plan. They are on your billing page.",
    es: "Su tienda tiene ahora las condiciones actuales de su plan. Están en su página de facturación.",
    fr: "Votre boutique bénéficie désormais des conditions actuelles de son forfait. Elles figurent sur votre page de facturation.",
    vi: "Cửa hàng của bạn hiện áp dụng các điều khoản hiện hành của gói. Điều khoản được ghi trên trang thanh toán.",
  }),
  operator_extended: changedByOperator({
    en: "Your subscription was extended. It now runs until :until.",
    es: "Su suscripción se ha prolongado. Ahora dura hasta el :until.",
    fr: "Votre abonnement a été prolongé. Il court désormais jusqu’au :until.",
    vi: "Gói đăng ký của bạn đã được gia hạn đến ngày :until.",
  }),
  operator_reactivated: changedByOperator({
    en: "Your subscription was reactivated. Its dates are on your billing page.",
    es: "Su suscripción se ha reactivado. Sus fechas están en su página de facturación.",
    fr: "Votre abonnement a été réactivé. Ses dates figurent sur votre page de facturation.",
    vi: "Gói đăng ký của bạn đã được kích hoạt lại. Các ngày được ghi trên trang thanh toán.",
  }),
  operator_primary_changed: changedByOperator({
    en: "The primary domain of your store is now :domain. Its other domains redirect to it.",
    es: "El dominio principal de su tienda es ahora :domain. Los demás dominios redirigen a él.",
    fr: "Le domaine principal de votre boutique est désormais :domain. Ses autres domaines y redirigent.",
    vi: "Tên miền chính của cửa hàng hiện là :domain. Các tên miền khác chuyển hướng đến đó.",
  }),
  operator_domain_removed: changedByOperator({
    en: "The domain :domain was removed from your store.",
    es: "El dominio :domain se ha retirado de su tienda.",
    fr: "Le domaine :domain a été retiré de votre boutique.",
    vi: "Tên miền :domain đã được gỡ khỏi cửa hàng của bạn.",
  }),
  operator_app_disabled: changedByOperator({
    en: "The app :app was turned off in your store. Its data is kept.",
    es: "La aplicación :app se ha desactivado en su tienda. Sus datos se conservan.",
    fr: "L’application :app a été désactivée dans votre boutique. Ses données sont conservées.",
    vi: "Ứng dụng :app đã bị tắt trong cửa hàng của bạn. Dữ liệu vẫn được giữ lại.",
  }),
  operator_store_deleted: {
    ...changedByOperator({
      en: "Your store was deleted with its data, files and domains.",
      es: "Su tienda se ha eliminado con sus datos, archivos y dominios.",
      fr: "Votre boutique a été supprimée avec ses données, fichiers et domaines.",
      vi: "Cửa hàng của bạn đã bị xóa cùng dữ liệu, tệp và tên miền.",
    }),
    title: {
      en: ":platform deleted your store :store",
      es: ":platform ha eliminado su tienda :store",
      fr: ":platform a supprimé votre boutique :store",
      vi: ":platform đã xóa cửa hàng :store của bạn",
    },
  },
} satisfies Record<string, MailStrings>

export type MailKind = keyof typeof MAILS
