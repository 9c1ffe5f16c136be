// The message of a test whose costs differ from the table.

export const HINT = "differs from test/costs/table.json. If that is intended, run `npm run costs:update`"
