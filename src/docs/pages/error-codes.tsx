// The page of the control plane's error codes.
import { renderInline } from "../markdown"
import type { Reference } from "../reference"
import { type NavGroup, PageFooter } from "./layout"

export const listErrorCodeLinks = ({ codes }: Reference): NavGroup => ({
  title: "Codes",
  links: Object.keys(codes).map((code) => ({ href: `#${code}`, text: code })),
})

export const ErrorCodesPage = ({ codes }: Pick<Reference, "codes">) => (
  <>
    <div class="prose">
      <h1>Error codes</h1>
      <p class="lead">
        Every error of the control plane has a code, which never changes, and a message in the caller's language. Branch
        on the code and show the message.
      </p>
    </div>
    <div class="codes">
      {Object.entries(codes).map(([code, { status, when, next }]) => (
        <div id={code}>
          <h2>
            <code>{code}</code> <span class="pill">{code === "http_error" ? "400, 413, 415" : status}</span>
          </h2>
          <div>
            <p>{renderInline(when)}</p>
            <p class="next">{renderInline(next)}</p>
          </div>
        </div>
      ))}
    </div>
    <PageFooter markdown="/docs/codes.md" />
  </>
)
