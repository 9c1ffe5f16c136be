// The front page: plans with their prices, links to sign up and sign in, and the base paths of the APIs.
import type { Locale } from "../../core/i18n/locale"
import type { Plan } from "../../platform/plans/schemas"
import { DescriptionList } from "../kit/page"
import { PlanFeatures, PlanPrice } from "../kit/plan"
import { t } from "./strings"

const APIS = [
  ["Control plane", "/api/platform/v1"],
  ["Content", "/api/v1"],
  ["Licenses", "/api/external"],
] as const

/** @param canSignUp whether customers can sign up by themselves */
export function FrontPage({ plans, locale, canSignUp }: { plans: Plan[]; locale: Locale; canSignUp: boolean }) {
  return (
    <>
      <div class="shell hero">
        <h1>{t("hero", locale)}</h1>
        <p class="lede">{t("hero_body", locale)}</p>
        <div class="row">
          {canSignUp && (
            <a class="button" href="/signup">
              {t("sign_up", locale)}
            </a>
          )}
          <a class="button quiet" href="/sign-in">
            {t("sign_in", locale)}
          </a>
        </div>
      </div>
      <section class="shell" id="plans">
        <h2>{t("plans", locale)}</h2>
        {plans.length === 0 && <p class="soft">{t("no_plans", locale)}</p>}
        <ul class="cards">
          {plans.map((plan) => (
            <li class="card" key={plan.slug}>
              <h3>{plan.name}</h3>
              <PlanPrice plan={plan} locale={locale} />
              <p class="soft">{plan.description}</p>
              <PlanFeatures plan={plan} locale={locale} />
              {plan.trialDays > 0 && <p class="small soft">{t("trial", locale, { days: plan.trialDays })}</p>}
              {canSignUp && (
                <a class="button quiet" href={`/signup?plan=${encodeURIComponent(plan.slug)}`}>
                  {t("choose", locale, { plan: plan.name })}
                </a>
              )}
            </li>
          ))}
        </ul>
      </section>
      <section class="shell page">
        <h2>{t("developers", locale)}</h2>
        <DescriptionList rows={APIS.map(([name, path]) => [name, <code>{path}</code>])} />
      </section>
    </>
  )
}
