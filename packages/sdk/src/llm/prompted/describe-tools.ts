import type { ToolSchema } from '../llm.ts';

type Schema = { readonly [key: string]: unknown };

/** The text that is appended to the system prompt: the tools, and how to call them. */
export function describeTools(tools: readonly ToolSchema[]): string {
  const blocks = tools.map((tool, i) => toolBlock(tool, i + 1)).join('\n\n');
  return `\nYou can call these functions:\n\n${blocks}\n\n${RULES}`;
}

const RULES = `To call a function, end your message with exactly this form. Write nothing after it:

<function=name_of_the_function>
<parameter=first_parameter>value</parameter>
<parameter=second_parameter>
A value with several lines
starts and ends on its own lines.
</parameter>
</function>

- Make at most one call per message. Its result is the next message.
- Give every required parameter. Give no parameter that is not listed. Write lists and objects as JSON.
- Values are used verbatim. Do not add quotes or escapes, and keep indentation and line breaks.
- Write your reasoning and anything else you want to say before the call.
- To write one of these tags as ordinary text, put a backslash after its "<".
- If no function is needed, answer in plain text.`;

function toolBlock({ name, description, parameters }: ToolSchema, number: number): string {
  const properties = Object.entries((parameters['properties'] ?? {}) as { readonly [name: string]: Schema });
  const required = (parameters['required'] ?? []) as readonly string[];
  const lines = properties.map(
    ([key, schema], i) => `  (${i + 1}) ${parameterLine(key, schema, required.includes(key))}`,
  );
  return [
    `---- BEGIN FUNCTION #${number}: ${name} ----`,
    `Description: ${description}`,
    ...(lines.length === 0 ? ['No parameters.'] : ['Parameters:', ...lines]),
    `---- END FUNCTION #${number} ----`,
  ].join('\n');
}

function parameterLine(name: string, schema: Schema, isRequired: boolean): string {
  const words = typeof schema['description'] === 'string' ? schema['description'] : 'no description';
  const values = Array.isArray(schema['enum'])
    ? `\n      Allowed values: ${schema['enum'].map((value) => `\`${value}\``).join(', ')}`
    : '';
  return `${name} (${typeWords(schema)}, ${isRequired ? 'required' : 'optional'}): ${words}${values}${nested(schema)}`;
}

function typeWords(schema: Schema): string {
  const { type } = schema;
  if (Array.isArray(schema['anyOf']))
    return schema['anyOf'].map((each: Schema) => typeWords(each)).join(' or ');
  return Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : 'any';
}

/** What lists and objects hold, as their schema: a model reads that better than a paraphrase. */
function nested(schema: Schema): string {
  const inner =
    schema['items'] ??
    (schema['properties'] === undefined
      ? undefined
      : { properties: schema['properties'], required: schema['required'] });
  return inner === undefined
    ? ''
    : `\n      ${schema['items'] === undefined ? 'Its members' : 'Each item'}: ${JSON.stringify(inner)}`;
}
