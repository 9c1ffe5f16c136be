// The stylesheet of the front page, sign-up, billing and account pages, in light and dark.
import { BRAND_STYLE } from "../../core/html/brand"

export const STYLE = `${BRAND_STYLE}
:root{--ground:var(--brand-ground);--card:var(--brand-card);--ink:var(--brand-ink);--soft:var(--brand-soft);--line:var(--brand-line);--control:var(--brand-control);--accent:var(--brand-accent);--on:var(--brand-on-accent);--tint:var(--brand-tint);--error:var(--brand-error);--error-tint:var(--brand-error-tint);--shadow:0 1px 2px rgb(30 30 20/.06),0 8px 24px rgb(30 30 20/.06)}
@media (prefers-color-scheme:dark){:root{--shadow:none}}
@media (prefers-reduced-motion:no-preference){@view-transition{navigation:auto}}
*{box-sizing:border-box}
[hidden]{display:none}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--ground);color:var(--ink);font:17px/1.55 var(--brand-font)}
a{color:var(--accent);text-underline-offset:.2em}
.skip{position:absolute;left:-999px}
.skip:focus{left:16px;top:16px;background:var(--card);padding:8px 12px;z-index:1}
.shell{width:100%;max-width:1120px;margin:0 auto;padding:0 24px}
.narrow{max-width:640px}
.banner{margin:0;padding:10px 24px;background:var(--brand-warning-tint);color:var(--brand-warning);border-bottom:1px solid currentcolor;font-size:15px;font-weight:600;text-align:center}
.top{display:flex;flex-wrap:wrap;align-items:center;justify-content:space-between;gap:4px 16px;padding-top:24px;padding-bottom:24px}
.brand{display:flex;align-items:center;gap:10px;font:600 20px/1.2 ui-serif,Georgia,"Times New Roman",serif;color:var(--ink);text-decoration:none;letter-spacing:-.01em}
.top nav{display:flex;flex-wrap:wrap;gap:0 20px;align-items:center}
.top nav a{white-space:nowrap;color:var(--ink);text-decoration:none;font-size:16px;padding:8px 0}
.top nav a:hover{text-decoration:underline}
h1,h2,h3{font-family:ui-serif,Georgia,"Times New Roman",serif;font-weight:600;letter-spacing:-.015em;line-height:1.15;margin:0;text-wrap:balance;overflow-wrap:break-word}
h1{font-size:clamp(34px,6vw,60px)}
h2{font-size:clamp(24px,3.4vw,32px)}
h3{font-size:20px}
p{margin:0 0 16px}
.lede{font-size:clamp(18px,2.2vw,22px);color:var(--soft);max-width:36em;margin:20px 0 32px}
.hero{padding-top:clamp(32px,8vw,96px);padding-bottom:clamp(40px,8vw,88px)}
.split{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,400px),1fr));gap:clamp(28px,5vw,64px);align-items:center}
.split h1{font-size:clamp(34px,5vw,56px)}
.shot{display:block;width:100%;height:auto;border:1px solid var(--line);border-radius:12px;background:var(--brand-muted)}
.hero .shot{border-radius:18px;box-shadow:var(--shadow)}
.cards.wide{grid-template-columns:repeat(auto-fit,minmax(min(100%,440px),1fr))}
details{border-bottom:1px solid var(--line)}
summary{cursor:pointer;font-weight:600;padding:16px 0;line-height:1.4}
.fold{border:0}
.fold summary{font-size:16px;padding:8px 0}
.fold summary .soft{font-weight:400}
.fold fieldset{margin-top:8px}
details p{color:var(--soft);margin:0 0 20px}
.page{padding-top:16px;padding-bottom:80px}
.page h1{font-size:clamp(30px,4.4vw,42px);margin-bottom:12px}
.page h1+form{margin-top:28px}
.button,button{display:inline-block;border:1px solid var(--accent);border-radius:10px;background:var(--accent);color:var(--on);font-weight:600;font-size:16px;line-height:1.2;padding:14px 22px;min-height:48px;cursor:pointer;text-decoration:none;text-align:center}
.button:hover,button:hover{filter:brightness(1.08)}
.quiet{background:transparent;color:var(--accent)}
.plain{background:none;border:0;color:var(--accent);padding:8px 0;min-height:0;text-decoration:underline;text-underline-offset:.2em;font-weight:400}
:focus-visible{outline:3px solid var(--accent);outline-offset:3px}
.language-form{align-items:flex-end;margin-bottom:24px}
.language-form select{min-width:200px}
.row{display:flex;flex-wrap:wrap;gap:12px;align-items:center}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,260px),1fr));gap:20px;padding:0;margin:28px 0 0;list-style:none}
.card{background:var(--card);border:1px solid var(--line);border-radius:18px;padding:28px;box-shadow:var(--shadow);display:flex;flex-direction:column;gap:12px}
.card p{margin:0}
.card form,.card .button{margin-top:auto}
.card.current{border-color:var(--accent);background:var(--tint)}
.price{font:600 34px/1.1 ui-serif,Georgia,serif;letter-spacing:-.02em}
.price small{font:400 16px/1.4 var(--brand-font);color:var(--soft);letter-spacing:0}
.soft{color:var(--soft)}
.small{font-size:15px}
ul.features{list-style:none;margin:0;padding:0;display:grid;gap:6px;font-size:16px}
ul.features li{padding-left:26px;position:relative}
ul.features li::before{content:"";position:absolute;left:3px;top:.42em;width:10px;height:5px;border-left:2px solid var(--accent);border-bottom:2px solid var(--accent);transform:rotate(-45deg)}
form.sheet{background:var(--card);border:1px solid var(--line);border-radius:18px;padding:clamp(20px,4vw,36px);box-shadow:var(--shadow);display:grid;gap:20px}
label{display:block;font-weight:600;font-size:16px}
label .soft{font-weight:400}
input,select,textarea{display:block;width:100%;margin-top:6px;padding:12px 14px;min-height:48px;border:1px solid var(--control);border-radius:10px;background:var(--ground);color:inherit;font-weight:400;font-size:17px;line-height:1.4}
input[aria-invalid=true],select[aria-invalid=true]{border-color:var(--error)}
.input-group{display:flex;align-items:stretch;margin-top:6px}
.input-group input{margin:0;border-top-right-radius:0;border-bottom-right-radius:0;min-width:0}
.input-group span{display:flex;align-items:center;padding:0 14px;border:1px solid var(--control);border-left:0;border-radius:0 10px 10px 0;color:var(--soft);font-weight:400;white-space:nowrap;flex:none;max-width:60%;overflow:hidden;text-overflow:ellipsis}
.hint,.field-error,.sheet .hint,.sheet .field-error{display:block;font-weight:400;font-size:15px;color:var(--soft);margin:6px 0 0}
.field-error,.sheet .field-error{color:var(--error)}
fieldset{border:0;margin:0;padding:0;display:grid;gap:10px}
legend{font-weight:600;font-size:16px;padding:0;margin-bottom:6px}
.choice{display:flex;gap:14px;align-items:flex-start;border:1px solid var(--line);border-radius:12px;padding:14px 16px;font-weight:400;cursor:pointer}
.choice:has(:checked){border-color:var(--accent);background:var(--tint)}
.choice input{width:20px;height:20px;min-height:0;margin:3px 0 0;flex:none;accent-color:var(--accent)}
.choice b{display:block}
.themes{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,230px),1fr));gap:16px}
.theme{display:grid;gap:6px;align-content:start}
.theme .choice{padding:8px 12px}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.two{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,220px),1fr));gap:20px}
.honeypot{position:absolute;left:-9999px;width:1px;height:1px;overflow:hidden}
.notice{border-radius:12px;padding:16px 20px;background:var(--tint);margin:0 0 24px}
.notice.error{background:var(--error-tint);color:var(--error)}
.notice p:last-child{margin:0}
.notice h2{margin-bottom:6px}
section,section.shell{margin-top:56px}
section>h2{margin-bottom:8px}
.scroll{overflow-x:auto}
table{width:100%;border-collapse:collapse;font-size:16px;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:12px 16px 12px 0;border-bottom:1px solid var(--line);vertical-align:top}
th{font-weight:600;color:var(--soft);font-size:14px}
.num{text-align:right;padding-right:0}
dl.facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,200px),1fr));gap:20px;margin:20px 0 0}
dl.facts div{border-top:2px solid var(--line);padding-top:10px}
dt{font-size:14px;color:var(--soft)}
dd{margin:2px 0 0;font-weight:600;overflow-wrap:anywhere}
.sheet dl.facts,.sheet p,.sheet .notice{margin:0}
meter{width:100%;height:10px;margin-top:6px}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font:16px/1.5 ui-monospace,SFMono-Regular,Menlo,monospace;background:var(--ground);border:1px solid var(--line);border-radius:10px;padding:16px;margin:0}
@media (max-width:480px){th,td{padding:10px 6px 10px 0;font-size:14px}.num{padding-right:0}}
.progress{height:6px;border-radius:3px;background:var(--line);overflow:hidden;margin:24px 0}
.progress::after{content:"";display:block;height:100%;width:40%;background:var(--accent);animation:slide 1.6s ease-in-out infinite}
@keyframes slide{from{transform:translateX(-100%)}to{transform:translateX(260%)}}
@media (prefers-reduced-motion:reduce){.progress::after{animation:none;width:100%}}
.below{margin-top:20px}
.plain-text{white-space:pre-line;overflow-wrap:anywhere}
.incident{border-top:1px solid var(--line);padding:20px 0}
.incident h3{margin-bottom:4px}
.foot .shell{display:flex;flex-wrap:wrap;gap:8px 24px}
.foot a{color:inherit}
.foot span{margin-inline-end:auto}
.foot{margin-top:40px;border-top:1px solid var(--line);padding:28px 0;color:var(--soft);font-size:15px}
.receipt{background:var(--card);border:1px solid var(--line);border-radius:18px;padding:clamp(20px,5vw,48px);box-shadow:var(--shadow)}
@media print{body{background:#fff;color:#000}.top,.foot,.noprint{display:none}.receipt{border:0;box-shadow:none;padding:0}}
`
