import { uploadPicture } from "../identity/pictures/support.ts";
import type { TestWorkspace } from "../support/workspace.ts";

/** Returns functions that create what the operations about templates and pictures return, by operation id. */
export function contentPreparations(create: (path: string) => Promise<string>, workspace: () => TestWorkspace) {
  const template = async () => ({ template_id: await create("/v1/templates/") });
  const picture = async () => ({
    picture_id: (await (await uploadPicture(workspace())).json<{ id: string }>()).id,
  });
  return {
    ...{ listTemplates: template, getTemplate: template, updateTemplate: template, deleteTemplate: template },
    ...{ duplicateTemplate: template, previewTemplate: template, listPictures: picture, deletePicture: picture },
  };
}
