// A message of a visitor with its last reply, for the pages of staff and of operators.
import type { Message } from "../apps/contact/service"
import { getFieldLabel } from "../page-kit/form"
import { Badge, Card, DescriptionList, Time } from "../page-kit/parts"

export interface MessageTexts {
  statuses: Record<Message["status"], string>
  answered: string
  message: string
  last_reply: string
  phone: string
  created: string
}

export function MessageStatus({ message, texts: t }: { message: Message; texts: MessageTexts }) {
  if (message.repliedAt) return <Badge status="sent" text={t.answered} />
  return <Badge status={message.status === "new" ? "pending" : "off"} text={t.statuses[message.status]} />
}

/** A message, its sender and the last reply. */
export const MessageCard = ({ message, texts: t }: { message: Message; texts: MessageTexts }) => (
  <>
    <Card>
      <DescriptionList
        items={[
          [getFieldLabel("name"), message.name],
          [getFieldLabel("email"), message.email],
          [t.phone, message.phone],
          [getFieldLabel("status"), <MessageStatus message={message} texts={t} />],
          [t.created, <Time at={message.createdAt} isExact />],
        ]}
      />
    </Card>
    <Card title={t.message}>
      <p class="text">{message.message}</p>
    </Card>
    {message.reply !== null && (
      <Card title={t.last_reply}>
        <p class="sub">
          <Time at={message.repliedAt} isExact />
        </p>
        <p class="text">{message.reply}</p>
      </Card>
    )}
  </>
)
