import { readFileSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path/posix"
import { parseSource } from "./tools/lint/source.ts"
import { findImportViolations } from "./tools/lint/layers.ts"
import { findCodeViolations } from "./tools/lint/code-rules.ts"
const files=[]; const walk=(d)=>{for(const f of readdirSync(d)){const p=join(d,f);if(statSync(p).isDirectory())walk(p);else if(/\.tsx?$/.test(f)&&!/\.d\.ts$/.test(f))files.push(p)}}
for(const d of ["src","durable","test","scripts","tools","bench","examples"])walk(d)
const t0=Date.now(); const parsed=files.map(f=>parseSource(f,readFileSync(f,"utf8"))); console.log(Date.now()-t0)
const v=parsed.flatMap(f=>[...findImportViolations(f),...findCodeViolations(f)]); console.log(Date.now()-t0)
for(const x of v)console.log(`${x.file}:${x.line}: ${x.rule} (${x.found})`)
