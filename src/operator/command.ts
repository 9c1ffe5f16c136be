// The shape of an operator CLI command.
import * as z from "zod"
import type { Ctx } from "../core/context"
import type { Input } from "../core/http/input"

export interface Command {
  summary: string
  input: z.ZodObject
  run(ctx: Ctx, input: unknown): Promise<unknown>
}

/** Creates a command whose `run` function is typed by its input schema. */
export function command<Schema extends z.ZodObject>(
  summary: string,
  input: Schema,
  run: (ctx: Ctx, input: Input<Schema>) => Promise<unknown>,
): Command {
  return { summary, input, run: run as Command["run"] }
}

/** A boolean option: without a value, or true or false. */
export const flag = z
  .union([z.boolean(), z.literal(["true", "false", "1", "0"])])
  .transform((value) => value === true || value === "true" || value === "1")

/**
 * Describes a command for the CLI's help and the reference.
 * @returns its summary and its options, with whether each is required, its allowed values and whether it is a secret
 */
export function describeCommand(name: string, command: Command) {
  const options = Object.entries(command.input.shape).map(([option, schema]) => ({
    name: option,
    required: !(schema as z.ZodType).safeParse(undefined).success,
    summary: (schema as z.ZodType).description ?? "",
    ...listAllowedValues(schema as z.ZodType),
    ...((schema as z.ZodType).meta()?.secret === true && { secret: true }),
  }))
  return { name, summary: command.summary, options }
}

/** Lists the values of an option that must be one of several, or of each item of a list. */
function listAllowedValues(schema: z.ZodType): { values?: string[]; list?: true } {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
    return listAllowedValues(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodEnum) return { values: schema.options.map(String) }
  const { element } = findArray(schema) ?? {}
  return element instanceof z.ZodEnum ? { values: element.options.map(String), list: true } : {}
}

/** Finds the array of a schema that also transforms its input or its output. */
function findArray(schema: z.ZodType): z.ZodArray | null {
  if (schema instanceof z.ZodArray) return schema
  if (!(schema instanceof z.ZodPipe)) return null
  return findArray(schema.in as z.ZodType) ?? findArray(schema.out as z.ZodType)
}
