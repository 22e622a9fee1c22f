// Generated from capabilities/rich.yaml by `npm run generate`. Change the descriptor, not this file.

import { keepIssue } from 'jmapsmith/capability';
export const update = validate0;
const schema0 = {"$id":"update","type":"object","properties":{"theme":{"type":"string","enum":["dark","light"]}},"additionalProperties":false};
function validate0(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="update" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
if(!(key0 === "theme")){
const err0 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err0);
errors++;
}
}
if(data.theme !== undefined){
let data0 = data.theme;
if(typeof data0 !== "string"){
const err1 = {instancePath:instancePath+"/theme",schemaPath:"#/properties/theme/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err1);
errors++;
}
if(!((data0 === "dark") || (data0 === "light"))){
const err2 = {instancePath:instancePath+"/theme",schemaPath:"#/properties/theme/enum",keyword:"enum",params:{allowedValues: schema0.properties.theme.enum},message:"must be equal to one of the allowed values"};
vErrors = keepIssue(vErrors, err2);
errors++;
}
}
}
else {
const err3 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err3);
errors++;
}
validate0.errors = vErrors;
return errors === 0;
}
export const create = validate1;
const schema1 = {"$id":"create","$ref":"update"};
function validate1(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="create" */;
let vErrors = null;
let errors = 0;
if(!(validate0(data, {instancePath,parentData,parentDataProperty,rootData}))){
vErrors = vErrors === null ? validate0.errors : vErrors.concat(validate0.errors);
errors = vErrors.length;
}
validate1.errors = vErrors;
return errors === 0;
}
export const filter = validate3;
const schema2 = {"$id":"filter","type":"object","properties":{},"additionalProperties":false};
function validate3(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="filter" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
const err0 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err0);
errors++;
}
}
else {
const err1 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err1);
errors++;
}
validate3.errors = vErrors;
return errors === 0;
}
