// The page that deletes a customer's account: it shows what is deleted and what stays, and asks for the password.
import { deleteAccount } from "../../../content/accounts/erase"
import { DeleteMe } from "../../../content/accounts/schemas"
import { countHashing } from "../../../content/rate-limits"
import { parseInput } from "../../../core/http/input"
import { localize } from "../../../core/i18n/locale"
import { Field } from "../../components/form"
import type { Page } from "../../part"
import { ACCOUNT } from "../../paths"
import type { VisitorPage } from "../page"
import { deleteSessionToken } from "../session"
import { EMPTY, SIGN_IN, submit } from "./forms"
import { CURRENT_PASSWORD, DELETE_ACCOUNT } from "./strings"
import { AccountForm, type AccountFormState, page } from "./views"

const CANNOT_UNDO = localize(
  "You can’t undo this.",
  "Esta acción no se puede deshacer.",
  "Cette action est irréversible.",
  "Bạn không thể hoàn tác thao tác này.",
)
const WILL_BE_DELETED = localize(
  "Your profile, your sign-ins, and the reviews and messages that you wrote are deleted.",
  "Se eliminan su perfil, sus sesiones y las reseñas y los mensajes que escribió.",
  "Votre profil, vos connexions, ainsi que les avis et les messages que vous avez écrits sont supprimés.",
  "Hồ sơ, các phiên đăng nhập, đánh giá và tin nhắn bạn đã viết sẽ bị xóa.",
)
const WILL_STAY = localize(
  "The shop keeps your orders and their amounts, without your name, addresses and notes.",
  "La tienda conserva sus pedidos y los importes, sin su nombre, sus direcciones ni sus notas.",
  "La boutique conserve vos commandes et leurs montants, sans votre nom, vos adresses ni vos notes.",
  "Cửa hàng giữ lại đơn hàng và số tiền, nhưng không còn tên, địa chỉ và ghi chú của bạn.",
)
const OPEN_ORDERS = localize(
  "Are you waiting for an order? The shop keeps your name, addresses and notes for it until it is sent or cancelled.",
  "¿Espera un pedido? La tienda conserva su nombre, sus direcciones y sus notas hasta que el pedido se envíe o se cancele.",
  "Vous attendez une commande ? La boutique garde votre nom, vos adresses et vos notes jusqu’à ce qu’elle soit expédiée ou annulée.",
  "Bạn đang chờ một đơn hàng? Cửa hàng giữ tên, địa chỉ và ghi chú của bạn cho đơn đó đến khi đơn được gửi hoặc bị hủy.",
)

export const deletion: VisitorPage = {
  path: "account/delete",
  async get(visit) {
    const { user } = await visit.readAsUser([])
    return user ? visit.render(deletionPage(EMPTY)) : visit.redirect(SIGN_IN)
  },
  post: (visit, fields) =>
    submit(visit, fields, {
      page: deletionPage,
      async run() {
        const { ctx } = visit
        const input = parseInput(DeleteMe, { current_password: fields.current_password })
        const subject = { ip: ctx.address ?? "unknown", account: ctx.caller.token?.hash }
        await deleteAccount(ctx, input, countHashing(ctx, "password", subject))
        deleteSessionToken(ctx.settings, visit.cookies)
        return visit.redirect(`${SIGN_IN}?deleted=1`)
      },
    }),
}

const deletionPage = ({ form: build, message }: AccountFormState): Page =>
  page(DELETE_ACCOUNT, (view) => (
    <>
      <div class="prose">
        <p class="lede">{view.translate(CANNOT_UNDO)}</p>
        <ul>
          <li>{view.translate(WILL_BE_DELETED)}</li>
          <li>{view.translate(WILL_STAY)}</li>
        </ul>
        <p>{view.translate(OPEN_ORDERS)}</p>
      </div>
      <AccountForm view={view} action={`${ACCOUNT}/delete`} submit={DELETE_ACCOUNT} message={message}>
        <Field
          view={view}
          form={build(view)}
          name="current_password"
          label={view.translate(CURRENT_PASSWORD)}
          type="password"
          autocomplete="current-password"
        />
      </AccountForm>
    </>
  ))
