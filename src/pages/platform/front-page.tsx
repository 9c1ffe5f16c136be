// The platform's front page: what it is, what it costs, where to sign up and in, and where its interfaces are.
import type { Locale } from "../../core/i18n/locale"
import type { Plan } from "../../platform/plans/schemas"
import { Contents, Price } from "./plans"
import { word } from "./strings"

/** The interfaces under their paths. */
const INTERFACES = [
  { path: "/api/platform/v1", about: "Control plane" },
  { path: "/api/v1", about: "Content" },
  { path: "/api/external", about: "Licenses" },
]

/** @param canSignUp whether customers can sign up by themselves */
export function FrontPage({ plans, locale, canSignUp }: { plans: Plan[]; locale: Locale; canSignUp: boolean }) {
  return (
    <>
      <div class="shell hero">
        <h1>{word("hero", locale)}</h1>
        <p class="lede">{word("hero_body", locale)}</p>
        <div class="row">
          {canSignUp && (
            <a class="button" href="/signup">
              {word("sign_up", locale)}
            </a>
          )}
          <a class="button quiet" href="/sign-in">
            {word("sign_in", locale)}
          </a>
        </div>
      </div>
      <section class="shell" id="plans">
        <h2>{word("plans", locale)}</h2>
        {plans.length === 0 && <p class="soft">{word("no_plans", locale)}</p>}
        <ul class="cards">
          {plans.map((plan) => (
            <li class="card" key={plan.slug}>
              <h3>{plan.name}</h3>
              <Price plan={plan} locale={locale} />
              <p class="soft">{plan.description}</p>
              <Contents plan={plan} locale={locale} />
              {plan.trialDays > 0 && <p class="small soft">{word("trial", locale, { days: plan.trialDays })}</p>}
              {canSignUp && (
                <a class="button quiet" href={`/signup?plan=${encodeURIComponent(plan.slug)}`}>
                  {word("choose", locale, { plan: plan.name })}
                </a>
              )}
            </li>
          ))}
        </ul>
      </section>
      <section class="shell page">
        <h2>{word("interfaces", locale)}</h2>
        <dl class="facts">
          {INTERFACES.map(({ path, about }) => (
            <div key={path}>
              <dt>{about}</dt>
              <dd>
                <code>{path}</code>
              </dd>
            </div>
          ))}
        </dl>
      </section>
    </>
  )
}
