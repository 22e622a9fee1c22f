// Generated from capabilities/notes.yaml by `npm run generate`. Change the descriptor, not this file.

import { codePointLength as func0, keepIssue } from 'jmapsmith/capability';
export const update = validate0;
const schema0 = {"$id":"update","type":"object","properties":{"title":{"type":"string","maxLength":1000,"storable":true},"body":{"type":"string","maxLength":100000,"storable":true}},"additionalProperties":false};
function validate0(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="update" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
if(!((key0 === "title") || (key0 === "body"))){
const err0 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err0);
errors++;
}
}
if(data.title !== undefined){
let data0 = data.title;
if(typeof data0 === "string"){
if(func0(data0) > 1000){
const err1 = {instancePath:instancePath+"/title",schemaPath:"#/properties/title/maxLength",keyword:"maxLength",params:{limit: 1000},message:"must NOT have more than 1000 characters"};
vErrors = keepIssue(vErrors, err1);
errors++;
}
if(data0.includes("\u0000")){
const err2 = {instancePath:instancePath+"/title",schemaPath:"#/properties/title/storable",keyword:"storable",params:{},message:"must not contain U+0000"};
vErrors = keepIssue(vErrors, err2);
errors++;
}
}
else {
const err3 = {instancePath:instancePath+"/title",schemaPath:"#/properties/title/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err3);
errors++;
}
}
if(data.body !== undefined){
let data1 = data.body;
if(typeof data1 === "string"){
if(func0(data1) > 100000){
const err4 = {instancePath:instancePath+"/body",schemaPath:"#/properties/body/maxLength",keyword:"maxLength",params:{limit: 100000},message:"must NOT have more than 100000 characters"};
vErrors = keepIssue(vErrors, err4);
errors++;
}
if(data1.includes("\u0000")){
const err5 = {instancePath:instancePath+"/body",schemaPath:"#/properties/body/storable",keyword:"storable",params:{},message:"must not contain U+0000"};
vErrors = keepIssue(vErrors, err5);
errors++;
}
}
else {
const err6 = {instancePath:instancePath+"/body",schemaPath:"#/properties/body/type",keyword:"type",params:{type: "string"},message:"must be string"};
vErrors = keepIssue(vErrors, err6);
errors++;
}
}
}
else {
const err7 = {instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"};
vErrors = keepIssue(vErrors, err7);
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
const schema2 = {"$id":"filter","type":"object","properties":{"title":{"type":["string","null"]},"body":{"type":["string","null"]}},"additionalProperties":false};
function validate3(data, {instancePath="", parentData, parentDataProperty, rootData=data}={}){
/*# sourceURL="filter" */;
let vErrors = null;
let errors = 0;
if(data && typeof data == "object" && !Array.isArray(data)){
for(const key0 in data){
if(!((key0 === "title") || (key0 === "body"))){
const err0 = {instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"};
vErrors = keepIssue(vErrors, err0);
errors++;
}
}
if(data.title !== undefined){
let data0 = data.title;
if((typeof data0 !== "string") && (data0 !== null)){
const err1 = {instancePath:instancePath+"/title",schemaPath:"#/properties/title/type",keyword:"type",params:{type: schema2.properties.title.type},message:"must be string,null"};
vErrors = keepIssue(vErrors, err1);
errors++;
}
}
if(data.body !== undefined){
let data1 = data.body;
if((typeof data1 !== "string") && (data1 !== null)){
const err2 = {instancePath:instancePath+"/body",schemaPath:"#/properties/body/type",keyword:"type",params:{type: schema2.properties.body.type},message:"must be string,null"};
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
validate3.errors = vErrors;
return errors === 0;
}
