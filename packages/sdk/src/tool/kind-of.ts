import type { Tool } from './tool.ts';

/** Class names on the wire, derived from a tool's name: `file_editor` -> `FileEditorTool`, `FileEditorAction`, `FileEditorObservation`. */
export function kindOf(name: string): Tool['kind'] {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const stem = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
  return { tool: `${stem}Tool`, action: `${stem}Action`, observation: `${stem}Observation` };
}
