#version 460
// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#extension GL_EXT_ray_tracing : require

layout(location = 0) rayPayloadInEXT uint payload;

void main() {
  payload = gl_PrimitiveID | (gl_HitKindEXT == gl_HitKindBackFacingTriangleEXT ? 0x80000000u : 0u);
}
