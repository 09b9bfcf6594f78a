import type { ToolSchema } from '../llm.ts';

type Schema = { readonly [key: string]: unknown };

/** What is put behind the system prompt: the tools, and how they are called. */
export function describeTools(tools: readonly ToolSchema[]): string {
  const blocks = tools.map((tool, i) => toolBlock(tool, i + 1)).join('\n\n');
  return `\nThese functions are yours to call:\n\n${blocks}\n\n${RULES}`;
}

const RULES = `To call a function, end your message with exactly this form, and write nothing behind it:

<function=name_of_the_function>
<parameter=first_parameter>value</parameter>
<parameter=second_parameter>
A value of several lines
stands on lines of its own.
</parameter>
</function>

- One call in a message at the most; its result comes as the next message.
- Give every required parameter, and none that is not listed. Lists and objects are written as JSON.
- Values are taken to the letter: indentation, quotes and line breaks are yours to keep.
- What you think or want to say stands before the call.
- To show one of these tags without meaning it, write a backslash behind its "<".
- When no function is needed, answer in plain words.`;

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
