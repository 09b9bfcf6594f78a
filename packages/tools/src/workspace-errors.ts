import { ToolError, WorkspaceError } from '@longhand/sdk';

/** Turns errors of the workspace into ToolErrors, which the model can correct: an unreadable path, a folder instead of a file. */
export async function told<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof WorkspaceError) throw new ToolError(error.message);
    throw error;
  }
}
